import Modbus
import TestSupport
import ThreadKit

/// A room, what heats it, and how long it was kept from doing so; stepped in virtual time.
struct HeatedRoom: Sendable {
    /// In °C.
    var celsius = 21.0
    var outdoorCelsius = 2.0
    /// What its own control aims at, in °C.
    var setpoint = 21.0
    /// Whether it may not run.
    var isLocked = false
    private(set) var isHeating = false
    private(set) var coldest = 21.0
    private(set) var warmest = 21.0
    /// How long it has been locked without a pause, and the longest that it ever was, in seconds.
    private(set) var lockedSeconds = 0.0
    private(set) var longestLock = 0.0

    /// Lets time pass: the room loses a thirtieth of the difference to outside in an hour, and is heated by 1.5 K.
    mutating func pass(_ seconds: Double) {
        if celsius < setpoint - 0.1 { isHeating = true }
        if celsius > setpoint + 0.1 { isHeating = false }
        let gain = isHeating && !isLocked ? 1.5 : 0
        celsius += (gain - (celsius - outdoorCelsius) / 30) * seconds / 3600
        coldest = min(coldest, celsius)
        warmest = max(warmest, celsius)
        lockedSeconds = isLocked ? lockedSeconds + seconds : 0
        longestLock = max(longestLock, lockedSeconds)
    }
}

/// A device on real Modbus whose registers show what becomes of its room.
final class RoomTwin: Sendable {
    /// Which device it is.
    enum Kind: Sendable {
        /// Takes a setpoint and no load state, in tenths of a degree.
        case thermostat
        /// A Stiebel Eltron ISG: two contacts, which it forgets a minute after they were written.
        case stiebel
    }

    /// A thermostat of nobody's make: room, outdoors and setpoint in tenths, and whether it heats.
    static let thermostatProfile = """
        kind: hvac
        vendor: Acme
        modbus: {unit: 1, timeout_ms: 200}
        poll_seconds: 30
        points:
          room: {input: 0, type: i16, scale: 0.1, quantity: roomCelsius}
          outdoor: {input: 1, type: i16, scale: 0.1, quantity: outdoorCelsius}
          heats: {input: 2}
          target: {holding: 0, type: i16, scale: 0.1, quantity: setpointCelsius}
        states:
          mode:
            - {when: {heats: 1}, is: heating}
            - {is: idle}
        hvac: {setpoint: {minimum_celsius: 5, maximum_celsius: 30}}
        commands:
          setpoint: {holding: 0, type: i16, scale: 0.1}
        """

    let kind: Kind
    let device: VirtualDevice
    private let state = Locked((room: HeatedRoom(), sinceWritten: 0.0))

    init(_ kind: Kind) throws {
        self.kind = kind
        switch kind {
        case .thermostat: device = try VirtualDevice(unit: 1, holding: [0: [210]], input: [0: [210, 20, 0]])
        case .stiebel:
            device = try .stiebel()
            device.set(.holding, 1501, [210])
        }
        show()
    }

    var room: HeatedRoom { state.current.room }

    /// The setpoint that stands in the device, in °C.
    var setpoint: Double {
        Double(device.server.words(.holding, unit: 1, address: kind == .stiebel ? 1501 : 0, count: 1)?.first ?? 0) / 10
    }

    /// Lets time pass in the room, with what the device was told.
    func pass(_ seconds: Double, writes: Int) {
        let contacts = device.server.words(.holding, unit: 1, address: 4000, count: 3) ?? [0, 0, 0]
        let (setpoint, isStiebel) = (setpoint, kind == .stiebel)
        let forgets = state.withLock { state in
            state.room.setpoint = setpoint
            state.sinceWritten = writes > 0 ? 0 : state.sinceWritten + seconds
            let isForgotten = state.sinceWritten >= 60
            state.room.isLocked = isStiebel && contacts[2] == 1 && !isForgotten
            state.room.pass(seconds)
            return isForgotten && isStiebel && contacts[2] == 1
        }
        if forgets { device.set(.holding, 4001, [0, 0]) }
        show()
    }

    private func show() {
        let room = room
        let tenths = UInt16(bitPattern: Int16((room.celsius * 10).rounded()))
        let outdoor = UInt16(bitPattern: Int16((room.outdoorCelsius * 10).rounded()))
        switch kind {
        case .thermostat: device.set(.input, 0, [tenths, outdoor, room.isHeating ? 1 : 0])
        case .stiebel:
            device.set(.input, 506, [outdoor, tenths])
            device.set(.input, 2541, [room.isHeating && !room.isLocked ? 1 : 0])
            device.set(.input, 5000, [room.isLocked ? 1 : 2])
        }
    }
}
