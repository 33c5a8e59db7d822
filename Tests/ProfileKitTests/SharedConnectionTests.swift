import Foundation
import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing

@Suite struct SharedConnectionTests {
    private let profile = ProfileLibrary.shipped["eastron-sdm630"]

    @Test func devicesAtOneAddressShareOneConnection() async throws {
        let transport = try #require(profile).transport
        let buses = ModbusBuses()
        let first = await buses.connection(to: .modbusTCP(host: "192.0.2.7", port: nil, unit: 1), transport)
        let second = await buses.connection(to: .modbusTCP(host: "192.0.2.7", port: 502, unit: 2), transport)
        let other = await buses.connection(to: .modbusTCP(host: "192.0.2.7", port: 503, unit: 1), transport)
        #expect(first != nil && first === second && first !== other)
        #expect(await buses.connection(to: .none, transport) == nil)
    }

    @Test func theUnitComesFromTheConfigurationOrElseFromTheProfile() throws {
        let transport = try #require(ProfileLibrary.shipped["sma-inverter"]).transport
        #expect(ModbusBuses.unit(.modbusTCP(host: "h", port: nil, unit: nil), transport) == 3)
        #expect(ModbusBuses.unit(.modbusTCP(host: "h", port: nil, unit: 126), transport) == 126)
        #expect(ModbusBuses.unit(.modbusRTU(path: "/dev/x", baud: nil, framing: nil, unit: 9), transport) == 9)
    }

    @Test func aSerialLineTakesItsFramingFromTheConfigurationOrTheProfile() async throws {
        let transport = try #require(profile).transport
        let buses = ModbusBuses()
        func line(_ framing: String?) -> DeviceConnection {
            .modbusRTU(path: "/dev/x", baud: nil, framing: framing, unit: 1)
        }
        let own = try #require(await buses.connection(to: line(nil), transport))
        #expect(own.transport == .rtu(path: "/dev/x", baud: 9600, parity: .none, dataBits: 8, stopBits: 1))
        let other = try #require(await buses.connection(to: line("8E1"), transport))
        #expect(other.transport == .rtu(path: "/dev/x", baud: 9600, parity: .even, dataBits: 8, stopBits: 1))
        #expect(await buses.connection(to: line("8X1"), transport) == nil)
    }

    @Test func onlyOneSequenceOfWritesGoesOnAtATime() async {
        let turn = Turn()
        let log = CollectingLog()
        await withTaskGroup { group in
            for name in ["a", "b", "c"] {
                group.addTask {
                    await turn.take()
                    defer { turn.give() }
                    log.log.info(name)
                    for _ in 0..<5 { await Task.yield() }
                    log.log.info(name)
                }
            }
        }
        let order = log.texts()
        #expect(order.count == 6)
        for index in stride(from: 0, to: order.count, by: 2) { #expect(order[index] == order[index + 1]) }
    }

    @Test func sayingTheSameAgainGetsRarer() {
        let start = Date(timeIntervalSince1970: 1_780_000_000)
        var disagreement = Disagreement(first: 10, cap: 60)
        var due: [Int] = []
        for second in stride(from: 0, through: 300, by: 5) {
            if disagreement.isDue(false, at: start.addingTimeInterval(Double(second))) { due.append(second) }
        }
        #expect(due == [0, 10, 30, 70, 130, 190, 250])
        let agrees = disagreement.isDue(true, at: start.addingTimeInterval(301))
        let again = disagreement.isDue(false, at: start.addingTimeInterval(302))
        #expect(!agrees && again)
    }
}
