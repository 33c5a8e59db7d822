package import Foundation
package import HubKit
import Modbus
import ThreadKit

/// The ports of the virtual devices on loopback.
package struct HousePorts: Sendable, Equatable {
    /// The grid meter, the solar inverter, the charger and the heat pump.
    package var meter, inverter, charger, heatPump: UInt16

    /// Names the ports; 0 takes a free one.
    package init(meter: UInt16 = 0, inverter: UInt16 = 0, charger: UInt16 = 0, heatPump: UInt16 = 0) {
        self.meter = meter
        self.inverter = inverter
        self.charger = charger
        self.heatPump = heatPump
    }
}

/// Runs a virtual house behind real Modbus TCP servers on loopback.
///
/// Its state is in a file that is written at every step before a register shows it, so that a house that was killed
/// goes on exactly where it was.
package final class HouseRunner: Sendable {
    private let house: Locked<House>
    private let file: HouseFile?
    private let clock: any HubClock
    private let meter: ModbusServer
    private let inverter: ModbusServer
    private let charger: ModbusServer
    private let heatPump: ModbusServer

    /// Starts the servers.
    /// - Parameters:
    ///   - house: the house as it is now.
    ///   - clock: the time it lives in.
    ///   - ports: where its devices listen.
    ///   - file: where its state is kept; `nil` keeps none.
    /// - Throws: `HubError` naming the port that is in use, or the file that can't be written.
    package init(_ house: House, clock: any HubClock, ports: HousePorts, file: URL?) throws(HubError) {
        self.house = Locked(house)
        self.clock = clock
        self.file = try file.map { url throws(HubError) in try HouseFile(url) }
        meter = try HouseRunner.serve(ports.meter, VirtualGridMeter.unit, input: VirtualGridMeter.registers(of: house))
        inverter = try HouseRunner.serve(
            ports.inverter, VirtualInverter.unit, holding: VirtualInverter.registers(of: house))
        charger = try HouseRunner.serve(
            ports.charger, VirtualKEBA.unit, holding: VirtualKEBA.registers(of: house) + VirtualKEBA.orders)
        heatPump = try HouseRunner.serve(
            ports.heatPump, VirtualNibe.unit, holding: VirtualNibe.orders, input: VirtualNibe.registers(of: house))
        charger.onWrite { [weak self] write in self?.apply(write, VirtualKEBA.apply) }
        heatPump.onWrite { [weak self] write in self?.apply(write, VirtualNibe.apply) }
    }

    private static func serve(
        _ port: UInt16, _ unit: UInt8, holding: [(UInt16, [UInt16])] = [], input: [(UInt16, [UInt16])] = []
    ) throws(HubError) -> ModbusServer {
        let bank = RegisterBank(
            refusesUndefined: true, holding: Dictionary(holding) { first, _ in first },
            input: Dictionary(input) { first, _ in first })
        do {
            return try ModbusServer(port: port, units: [unit: bank])
        } catch {
            throw HubError(
                .inUse,
                "a virtual device could not listen at port \(port): \(error); choose another port, or 0 for a free one")
        }
    }

    /// Where the devices listen.
    package var ports: HousePorts {
        HousePorts(meter: meter.port, inverter: inverter.port, charger: charger.port, heatPump: heatPump.port)
    }

    /// The house as it is now.
    package var current: House { house.current }

    /// Lets the house live until the task is cancelled.
    package func run() async {
        let pause = Duration.milliseconds(clock.speed > 20 ? 10 : 100)
        while !Task.isCancelled {
            advance()
            guard (try? await Task.sleep(for: pause)) != nil else { return }
        }
    }

    /// Closes the servers.
    package func stop() {
        for server in [meter, inverter, charger, heatPump] { server.stop() }
    }

    private func advance() {
        let now = clock.now
        let state = house.withLock { house -> House in
            house.advance(to: now)
            file?.write(house)
            return house
        }
        show(state)
    }

    private func apply(
        _ write: ModbusWrite, _ change: (ModbusWrite, inout House) -> ModbusException?
    ) -> ModbusException? {
        let now = clock.now
        let (refusal, state) = house.withLock { house -> (ModbusException?, House) in
            house.advance(to: now)
            let refusal = change(write, &house)
            file?.write(house)
            return (refusal, house)
        }
        show(state)
        return refusal
    }

    private func show(_ house: House) {
        for (address, words) in VirtualGridMeter.registers(of: house) {
            meter.set(.input, unit: VirtualGridMeter.unit, address: address, words: words)
        }
        for (address, words) in VirtualInverter.registers(of: house) {
            inverter.set(.holding, unit: VirtualInverter.unit, address: address, words: words)
        }
        for (address, words) in VirtualKEBA.registers(of: house) {
            charger.set(.holding, unit: VirtualKEBA.unit, address: address, words: words)
        }
        for (address, words) in VirtualNibe.registers(of: house) {
            heatPump.set(.input, unit: VirtualNibe.unit, address: address, words: words)
        }
    }
}
