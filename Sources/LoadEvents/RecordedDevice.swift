import EnergyKit
import Foundation
import HubKit

/// The session machine of one device, of whichever kind.
enum SessionMachine: Sendable, Codable {
    case ev(EVSessionMachine)
    case hvac(HVACSessionMachine)

    /// Makes the machine that fits the device; nothing for a meter.
    init?(_ state: DeviceState) {
        switch state.kind {
        case .ev: self = .ev(EVSessionMachine(maximumWatts: state.mostChargingWatts))
        case .hvac: self = .hvac(HVACSessionMachine())
        case .meter: return nil
        }
    }

    /// Whether the machine is for this kind of device.
    func fits(_ kind: DeviceKind) -> Bool {
        switch self {
        case .ev: kind == .ev
        case .hvac: kind == .hvac
        }
    }

    /// Whether a session is open, or waits to be begun.
    var isOpen: Bool {
        switch self {
        case .ev(let machine): machine.isOpen
        case .hvac(let machine): machine.isOpen
        }
    }

    /// How often its counters did not go on where they were.
    var counterTurns: Int {
        switch self {
        case .ev(let machine): (machine.imported.turns ?? 0) + (machine.exported.turns ?? 0)
        case .hvac: 0
        }
    }

    /// Whether its state is more than its last event and the device's counter tell.
    var countsEnergy: Bool {
        if case .ev = self { return true }
        return false
    }

    /// Whether a session waits for guidance to quote.
    var needsGuidance: Bool {
        switch self {
        case .ev(let machine): machine.needsGuidance
        case .hvac(let machine): machine.needsGuidance
        }
    }

    mutating func step(
        _ input: SessionInput, device: ElectricalLoadDevice, vehicle: VehicleConfiguration?
    ) -> [AnyLoadEvent] {
        switch self {
        case .ev(var machine):
            let events = machine.step(input, device: device, vehicle: vehicle)
            self = .ev(machine)
            return events
        case .hvac(var machine):
            let events = machine.step(input, device: device)
            self = .hvac(machine)
            return events
        }
    }

    /// The hub has started anew.
    mutating func resume() {
        switch self {
        case .ev(var machine):
            machine.resume()
            self = .ev(machine)
        case .hvac(var machine):
            machine.resume()
            self = .hvac(machine)
        }
    }

    mutating func clockWasSet(device: ElectricalLoadDevice, vehicle: VehicleConfiguration?) -> [AnyLoadEvent] {
        switch self {
        case .ev(var machine):
            let events = machine.clockWasSet(device: device, vehicle: vehicle)
            self = .ev(machine)
            return events
        case .hvac(var machine):
            let events = machine.clockWasSet(device: device)
            self = .hvac(machine)
            return events
        }
    }

    /// The machine as the store keeps it.
    var text: String? {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The machine that was kept as this text.
    init(text: String) throws {
        self = try JSONDecoder().decode(SessionMachine.self, from: Data(text.utf8))
    }
}

/// What the recorder keeps of one device.
struct RecordedDevice {
    /// How a person uses the device: a change of it is an event.
    struct Use: Equatable {
        var mode: DeviceMode?
        var goal: DeviceGoal?
    }

    /// Guidance that the recorder asked for itself.
    struct Asked {
        var guidance: FollowedGuidance
        var until: Date
    }

    var machine: SessionMachine
    let venueID: UUID
    var use: Use?
    /// Events that are not on disk yet, in order.
    var waiting: [AnyLoadEvent] = []
    var isWriting = false
    var failures = 0
    var retryAt: Date?
    var asked: Asked?
    /// Since when its open session is without a guidance to quote.
    var lacksGuidanceSince: Date?
    var mayAskAt: Date?
    /// When the machine was last put on disk, and its counters' turns then.
    var keptAt: Date?
    var keptTurns = 0

    /// Events that may wait in memory while the store can't be written, before some are left out.
    static let mostWaiting = 2_000

    init(_ machine: SessionMachine, venueID: UUID) {
        self.machine = machine
        self.venueID = venueID
    }

    /// Whether the open machine is to be put on disk without an event.
    ///
    /// After a power cut the count goes on from there. Once a minute is enough while the counter goes on, since the counter
    /// itself tells the rest; at once, or soon after the last time, when it turned, since what was counted before is
    /// nowhere else.
    func isToBeKept(at now: Date, speed: Double) -> Bool {
        guard machine.isOpen, machine.countsEnergy, waiting.isEmpty, !isWriting, retryAt == nil else { return false }
        guard let keptAt, keptAt <= now else { return true }
        let hasTurned = machine.counterTurns != keptTurns
        return now.timeIntervalSince(keptAt) >= (hasTurned ? Self.turnSeconds : Self.keptSeconds) * max(1, speed)
    }

    /// The least time between two writes of a machine without an event, in seconds; it spares the disk.
    static let turnSeconds: TimeInterval = 2
    /// The longest time for which an open machine is not put on disk, in seconds.
    static let keptSeconds: TimeInterval = 60

    /// Notes what was put on disk.
    mutating func noteKept(_ machine: SessionMachine, at now: Date) {
        keptAt = now
        keptTurns = machine.counterTurns
    }

    /// Leaves out every second sample between others of its session, so that a store that can't be written for months
    /// does not fill the memory; begins and ends stay, and with them every sum.
    /// - Returns: how many were left out.
    mutating func thinOut() -> Int {
        let before = waiting.count
        var kept: [AnyLoadEvent] = []
        var isSpared = false
        for (index, event) in waiting.enumerated() {
            let next = index + 1 < waiting.count ? waiting[index + 1] : nil
            let isBetween =
                event.stateName == "active" && next?.stateName == "active" && next?.sessionID == event.sessionID
            isSpared.toggle()
            if !isBetween || isSpared { kept.append(event) }
        }
        waiting = kept
        return before - kept.count
    }
}

extension DeviceState {
    /// The most that can flow into the car in watts, with 15 % for high voltage and the meter's error.
    var mostChargingWatts: Double {
        let amps = max(configuration.limits.maximumAmps ?? 0, capabilities.charger?.currentLimit?.maximumAmps ?? 0)
        let phases = max(configuration.limits.phases ?? 0, capabilities.charger?.phases.max() ?? 3)
        return (amps > 0 ? amps : 80) * Double(phases) * 230 * 1.15
    }

    /// The device as its events name it.
    var loadDevice: ElectricalLoadDevice {
        ElectricalLoadDevice(
            id: configuration.id.rawValue, name: configuration.name, type: kind == .ev ? .electricVehicle : .hvac)
    }
}
