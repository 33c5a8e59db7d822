import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents

@Suite("A charger's sessions")
struct EVSessionMachineTests {
    @Test("a whole session: begin at 0, quarter-hours, pause, resume, end at 0 with all the energy")
    func wholeSession() {
        var charger = Charger()
        charger.read(0, watts: 0, counter: 1000)
        charger.read(10, watts: 7200, counter: 1020)
        for second in stride(from: 20.0, through: 1790, by: 10) {
            charger.read(second, watts: 7200, counter: 1020 + (second - 10) * 2)
        }
        charger.read(1800, watts: 0, counter: 4600)
        charger.read(2000, watts: 7200, counter: 4600)
        charger.read(2010, watts: 7200, counter: 4620)
        charger.read(2020, watts: 0, counter: 4640)
        charger.read(2620, watts: 0, counter: 4640)
        #expect(
            charger.events.map(line) == [
                "begin 0 W 0 Wh", "active 7200 W 20 Wh", "active 7200 W 1800 Wh", "active 0 W 3600 Wh",
                "active 7200 W 3600 Wh", "active 0 W 3640 Wh", "end 0 W 3640 Wh",
            ])
        #expect(Set(charger.events.map(\.sessionID)).count == 1)
        #expect(charger.events.map(\.timestamp) == charger.events.map(\.timestamp).sorted())
        #expect(charger.events[0].timestamp == noon)
        #expect(charger.events[2].timestamp == noon.addingTimeInterval(900))
        #expect(!charger.machine.isOpen)
    }

    @Test("nothing is said while nothing flows")
    func idle() {
        var charger = Charger()
        for second in stride(from: 0.0, through: 7200, by: 30) {
            charger.read(second, watts: 3, counter: 500, charging: .waiting)
        }
        #expect(charger.events.isEmpty)
    }

    struct Flow: Sendable, CustomTestStringConvertible {
        let watts: Double?
        let plug: PlugState?
        let charging: ChargingState?
        let begins: Bool
        var testDescription: String {
            "\(watts.map { "\($0) W" } ?? "no power") \(plug?.rawValue ?? "-") \(charging?.rawValue ?? "-")"
        }
    }

    @Test(
        "a session begins where energy flows",
        arguments: [
            Flow(watts: 7000, plug: .plugged, charging: .charging, begins: true),
            Flow(watts: nil, plug: .plugged, charging: .charging, begins: true),
            Flow(watts: 7000, plug: nil, charging: nil, begins: true),
            Flow(watts: 101, plug: .plugged, charging: nil, begins: true),
            Flow(watts: 99, plug: .plugged, charging: nil, begins: false),
            Flow(watts: 50, plug: .plugged, charging: .charging, begins: true),
            Flow(watts: 0, plug: .plugged, charging: .charging, begins: false),
            Flow(watts: 7000, plug: .unplugged, charging: nil, begins: false),
            Flow(watts: 7000, plug: .plugged, charging: .fault, begins: false),
            Flow(watts: nil, plug: .plugged, charging: .waiting, begins: false),
            Flow(watts: nil, plug: nil, charging: nil, begins: false),
        ])
    func beginning(_ flow: Flow) {
        var charger = Charger()
        charger.read(0, watts: 0, plug: .plugged, charging: .idle)
        charger.read(10, watts: flow.watts, plug: flow.plug, charging: flow.charging)
        #expect((charger.events.first.map(line) == "begin 0 W 0 Wh") == flow.begins)
        #expect(charger.machine.isOpen == flow.begins)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let from: Double
        let to: Double
        let after: Double
        let isTold: Bool
        var testDescription: String { "\(from) W to \(to) W after \(after) s" }
    }

    @Test(
        "a change of power is told above 10 % and 500 W, at most every 20 s",
        arguments: [
            Change(from: 7000, to: 7600, after: 30, isTold: false),
            Change(from: 7000, to: 7701, after: 30, isTold: true),
            Change(from: 7000, to: 6290, after: 30, isTold: true),
            Change(from: 1500, to: 1990, after: 30, isTold: false),
            Change(from: 1500, to: 2001, after: 30, isTold: true),
            Change(from: 7000, to: 3000, after: 19, isTold: false),
            Change(from: 7000, to: 3000, after: 20, isTold: true),
        ])
    func powerChanges(_ change: Change) {
        var charger = Charger()
        charger.read(0, watts: 0)
        charger.read(1, watts: change.from)
        #expect(charger.read(1 + change.after, watts: change.to).isEmpty == !change.isTold)
    }

    @Test("a change that came too soon is told as soon as it may")
    func lateChange() {
        var charger = Charger()
        charger.read(0, watts: 7000)
        #expect(charger.read(10, watts: 3000).isEmpty)
        #expect(charger.read(20, watts: 3000).map(line) == ["active 3000 W 22.222 Wh"])
    }

    @Test("a person's act and new guidance are told at once, and the new token is quoted from then on")
    func actsAndGuidance() throws {
        var charger = Charger()
        let first = try #require(charger.guidance?.token)
        charger.read(0, watts: 7000, counter: 0)
        #expect(charger.wake(5, userActed: true).map(line) == ["active 7000 W 0 Wh"])
        let second = UUID()
        charger.guidance = FollowedGuidance(token: second, isFollowing: true)
        #expect(charger.wake(6).map(\.guidanceToken) == [second])
        charger.guidance = FollowedGuidance(token: second, isFollowing: false)
        #expect(charger.wake(7).map(\.wasFollowing) == [false])
        #expect(charger.wake(8).isEmpty)
        #expect(charger.events.prefix(3).allSatisfy { $0.guidanceToken == first })
    }

    @Test("without guidance the session waits, and still begins when the flow did")
    func waitsForGuidance() {
        var charger = Charger()
        charger.guidance = nil
        charger.read(0, watts: 0, counter: 1000)
        charger.read(10, watts: 7200, counter: 1020)
        charger.read(100, watts: 7200, counter: 1200)
        #expect(charger.events.isEmpty)
        #expect(charger.machine.needsGuidance)
        charger.guidance = FollowedGuidance(token: UUID(), isFollowing: false)
        #expect(charger.wake(101).map(line) == ["begin 0 W 0 Wh", "active 7200 W 200 Wh"])
        #expect(charger.events.first?.timestamp == noon)
        #expect(!charger.machine.needsGuidance)
    }

    @Test(
        "unplugging, a fault and ten idle minutes end a session; less does not",
        arguments: [
            (PlugState.unplugged, ChargingState.idle, 10.0, true), (.plugged, .fault, 10, true),
            (.plugged, .waiting, 10, false), (.plugged, .waiting, 590, false), (.plugged, .waiting, 610, true),
        ])
    func ending(plug: PlugState, charging: ChargingState, after: Double, ends: Bool) {
        var charger = Charger()
        charger.read(0, watts: 7200, counter: 1000)
        charger.read(30, watts: 0, counter: 1060, plug: .plugged, charging: .waiting)
        charger.read(30 + after - 5, watts: 0, counter: 1060, plug: .plugged, charging: .waiting)
        charger.read(30 + after, watts: 0, counter: 1060, plug: plug, charging: charging)
        #expect((charger.events.last.map(line) == "end 0 W 60 Wh") == ends)
    }

    @Test("S-2 a restart and a counter at 0 in mid-session: one session, 25 kWh")
    func restartInMidSession() throws {
        var charger = Charger()
        var second = 0.0
        var counter = 3_000_000.0
        charger.read(second, watts: 0, counter: counter)
        func hour(_ charger: inout Charger, wattHours: Double) {
            for _ in 0..<360 {
                second += 10
                counter += wattHours / 360
                charger.read(second, watts: 10_000, counter: counter, charging: .charging)
            }
        }
        hour(&charger, wattHours: 10_000)
        hour(&charger, wattHours: 10_000)
        try charger.restart()
        for _ in 0..<3 {
            second += 10
            charger.read(second, watts: 0, counter: 0)
        }
        hour(&charger, wattHours: 5_000)
        second += 10
        charger.read(second, watts: 0, counter: counter, plug: .unplugged, charging: .idle)
        #expect(Set(charger.events.map(\.sessionID)).count == 1)
        #expect(charger.events.last.map(line) == "end 0 W 25000 Wh")
        #expect(charger.events.filter { $0.stateName == "begin" }.count == 1)
    }

    @Test("after a restart nothing is told before the charger was read: the counter has moved on")
    func nothingOldIsToldAfterARestart() throws {
        var charger = Charger()
        charger.read(0, watts: 0, counter: 1000)
        for second in stride(from: 10.0, through: 300, by: 10) {
            charger.read(second, watts: 7200, counter: 1000 + second * 2, charging: .charging)
        }
        try charger.restart()
        charger.guidance = FollowedGuidance(token: UUID(), isFollowing: false)
        #expect(charger.wake(360).isEmpty)
        #expect(charger.wake(370, userActed: true).isEmpty)
        let first = charger.read(400, watts: 7200, counter: 1800, charging: .charging)
        #expect(first.map(line) == ["active 7200 W 800 Wh"])
    }

    @Test("the device was away: the same session goes on, with the counter's truth")
    func outage() {
        var charger = Charger()
        charger.read(0, watts: 7200, counter: 1000)
        for minute in 1...60 { #expect(charger.wake(Double(minute) * 60 + 130).isEmpty) }
        let back = charger.read(3800, watts: 7200, counter: 8600)
        #expect(back.map(line) == ["active 7200 W 7600 Wh"])
        #expect(Set(charger.events.map(\.sessionID)).count == 1)
    }

    @Test(
        "the session ended while the device was away: the end comes when it is back",
        arguments: [PlugState.unplugged, .plugged])
    func endedWhileAway(plug: PlugState) {
        var charger = Charger()
        charger.read(0, watts: 7200, counter: 1000)
        #expect(charger.read(3600, watts: 0, counter: 5000, plug: plug).map(line) == ["end 0 W 4000 Wh"])
    }

    @Test("discharging is a session of its own")
    func discharging() {
        var charger = Charger()
        charger.read(0, watts: 0, counter: 1000, export: 50)
        charger.read(60, watts: 6000, counter: 1100, export: 50)
        charger.read(120, watts: -6000, counter: 1150, export: 100)
        charger.read(180, watts: 0, counter: 1150, plug: .unplugged, export: 200)
        #expect(
            charger.events.map(line) == [
                "begin 0 W 0 Wh", "active 6000 W 100 Wh", "end 0 W 150 Wh", "begin 0 W 0 Wh", "active 6000 W 0 Wh",
                "end 0 W 100 Wh",
            ])
        let flows = charger.events.map(\.flowName)
        #expect(flows == Array(repeating: "ev imported", count: 3) + Array(repeating: "ev exported", count: 3))
        #expect(Set(charger.events.map(\.sessionID)).count == 2)
    }

    @Test("the energy of events is a whole number of milliwatt-hours")
    func wholeMilliwattHours() {
        var charger = Charger()
        charger.read(0, watts: 0, counter: 0.123456)
        charger.read(60, watts: 7000, counter: 100.98765432)
        #expect(charger.events.last?.energyWattHours == 100.864)
    }

    @Test("the state of charge is read, else estimated from the car's figures, else unknown")
    func stateOfCharge() throws {
        var charger = Charger()
        charger.read(0, watts: 0, counter: 0, plug: .unplugged)
        func last(_ charger: Charger) -> Int? {
            guard case .electricVehicle(let event)? = charger.events.last else { return nil }
            return event.measurement.stateOfCharge
        }
        charger.read(10, watts: 7200, counter: 0)
        #expect(last(charger) == .min)
        charger.vehicle = VehicleConfiguration(capacityWattHours: 60_000, efficiency: 0.9, assumedStateOfCharge: 30)
        charger.read(3610, watts: 7200, counter: 10_000)
        #expect(last(charger) == 45)
        charger.read(7210, watts: 7200, counter: 20_000, soc: 51.6)
        #expect(last(charger) == 52)
        charger.vehicle = VehicleConfiguration(capacityWattHours: 10_000, efficiency: 0.9, assumedStateOfCharge: 95)
        charger.read(9010, watts: 7200, counter: 24_000)
        #expect(last(charger) == 100)
    }

    @Test("a charger that only counts its own session is followed over its new beginning")
    func sessionCounter() {
        var charger = Charger()
        func read(_ seconds: Double, watts: Double, session: Double, plug: PlugState = .plugged) {
            var reading = DeviceReading(at: noon.addingTimeInterval(seconds))
            reading[.powerWatts] = watts
            reading[.sessionWattHours] = session
            reading.plug = plug
            charger.events += charger.machine.step(
                SessionInput(reading: reading, guidance: charger.guidance, now: reading.at),
                device: ElectricalLoadDevice(id: "c", name: "C", type: .electricVehicle), vehicle: nil)
        }
        read(0, watts: 0, session: 8000, plug: .unplugged)
        read(60, watts: 0, session: 0)
        for minute in 2...32 { read(Double(minute) * 60, watts: 6000, session: Double(minute - 2) * 100) }
        read(2000, watts: 0, session: 3000, plug: .unplugged)
        #expect(charger.events.last.map(line) == "end 0 W 3000 Wh")
    }

    @Test("random days with glitches, gaps and restarts: the sessions add up to the counter", arguments: 1...40)
    func addsUp(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        var charger = Charger()
        var counter = Double.random(in: 0...9_000_000, using: &random).rounded()
        let first = counter
        var second = 0.0
        charger.read(second, watts: 0, counter: counter)
        for _ in 0..<30 {
            let watts = Bool.random(using: &random) ? Double.random(in: 1500...11_000, using: &random).rounded() : 0
            for _ in 0..<Int.random(in: 5...120, using: &random) {
                second += 10
                counter += watts / 360
                switch Int.random(in: 0..<20, using: &random) {
                case 0: charger.read(second, watts: watts, counter: 0)
                case 1: charger.wake(second)
                case 2:
                    try charger.restart()
                    charger.read(second, watts: watts, counter: counter)
                default: charger.read(second, watts: watts, counter: counter)
                }
            }
        }
        second += 10
        charger.read(second, watts: 0, counter: counter)
        charger.read(second + 10, watts: 0, counter: counter, plug: .unplugged)
        let ends = charger.events.filter { $0.stateName == "end" }.compactMap(\.energyWattHours)
        let begins = charger.events.filter { $0.stateName == "begin" }
        #expect(begins.count == ends.count)
        #expect(abs(ends.reduce(0, +) - (counter - first)) < 0.01 * Double(max(ends.count, 1)))
        for (earlier, later) in zip(charger.events, charger.events.dropFirst())
        where earlier.sessionID == later.sessionID {
            #expect(earlier.timestamp <= later.timestamp)
            #expect(earlier.energyWattHours ?? 0 <= later.energyWattHours ?? 0)
        }
    }
}
