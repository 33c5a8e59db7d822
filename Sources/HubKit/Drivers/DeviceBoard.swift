public import Foundation
import ThreadKit

/// What is known of one device right now.
public struct DeviceState: Sendable {
    /// Its configuration.
    public let configuration: DeviceConfiguration
    /// What it is to the house.
    public let kind: DeviceKind
    /// What it can tell and do.
    public internal(set) var capabilities: DeviceCapabilities
    /// The last reading; it keeps its time, so its age is known.
    public internal(set) var reading: DeviceReading?
    /// The last reading as the device gave it.
    var ownReading: DeviceReading?
    /// The charge of the car as another system told it last.
    var toldCharge: ToldCharge?
    /// How it is doing.
    public internal(set) var health: DeviceHealth
    /// How it is used.
    public internal(set) var mode: DeviceMode?
    /// What a person wants of it.
    public internal(set) var goal: DeviceGoal?
    /// The price at or below which it charges at once.
    public internal(set) var limit: PriceLimit?
    /// The guidance it works under.
    public internal(set) var guidance: FollowedGuidance?
    /// Why control lets it do what it does, in a few words; absent for what is not controlled.
    public internal(set) var reason: String?

    /// The last reading where it is no older than `seconds`.
    ///
    /// One from the future counts as old: the clock was set back, and nobody knows how old it really is.
    public func freshReading(within seconds: Double, at now: Date) -> DeviceReading? {
        reading.flatMap { abs(now.timeIntervalSince($0.at)) <= seconds ? $0 : nil }
    }
}

/// What changed on the board.
public enum BoardChange: Sendable {
    /// A device was read.
    case reading(DeviceID)
    /// A device's health changed.
    case health(DeviceID)
    /// A person changed its mode, goal or limit.
    case use(DeviceID)
    /// It works under another guidance, follows it no longer, or for another reason.
    case guidance(DeviceID)

    /// The device.
    public var device: DeviceID {
        switch self {
        case .reading(let id), .health(let id), .use(let id), .guidance(let id): id
        }
    }
}

/// The last value, age and health of every device: the one place where readings meet their readers.
///
/// ## Thread Safety
/// All members may be called from anywhere and never wait for a device.
public final class DeviceBoard: Sendable {
    private struct State {
        var devices: [DeviceID: DeviceState] = [:]
        var order: [DeviceID] = []
    }

    private let state = Locked(State())
    private let listeners = Listeners<BoardChange>(bufferingNewest: 256)

    /// An empty board.
    public init() {}

    /// Puts a device on the board before it was heard.
    public func add(
        _ configuration: DeviceConfiguration, kind: DeviceKind, capabilities: DeviceCapabilities, health: DeviceHealth
    ) {
        state.withLock { state in
            if state.devices[configuration.id] == nil { state.order.append(configuration.id) }
            state.devices[configuration.id] = DeviceState(
                configuration: configuration, kind: kind, capabilities: capabilities, health: health,
                mode: configuration.mode, goal: configuration.comfort.map { .comfort($0) })
        }
    }

    /// The device's state.
    public subscript(id: DeviceID) -> DeviceState? { state.withLock { $0.devices[id] } }

    /// Every device in the order of the configuration.
    public var all: [DeviceState] {
        state.withLock { state in state.order.compactMap { state.devices[$0] } }
    }

    /// Keeps a reading, and tells the listeners.
    public func post(_ reading: DeviceReading, for id: DeviceID) {
        change(.reading(id), id) { $0.take(reading) }
    }

    /// Keeps the charge of a car as another system than its charger told it, and tells the listeners.
    ///
    /// It shows in readings of a charger that does not know it, until the car is unplugged: going on by the charger's
    /// counter where the car's capacity is known, for a day at most, and otherwise for half an hour.
    /// - Parameters:
    ///   - percent: from 0 to 100.
    ///   - moment: when it was told.
    ///   - id: the charger.
    public func post(stateOfCharge percent: Double, at moment: Date, for id: DeviceID) {
        change(.reading(id), id) { $0.take(charge: percent, at: moment) }
    }

    /// Keeps a state of health, and tells the listeners.
    public func post(_ health: DeviceHealth, for id: DeviceID) {
        change(.health(id), id) { $0.health = health }
    }

    /// Keeps how the device is used, and tells the listeners.
    public func post(mode: DeviceMode?, goal: DeviceGoal?, limit: PriceLimit?, for id: DeviceID) {
        change(.use(id), id) { device in
            device.mode = mode
            device.goal = goal
            device.limit = limit
        }
    }

    /// Keeps which guidance the device works under; the listeners hear of it when it changed.
    public func post(_ guidance: FollowedGuidance?, for id: DeviceID) {
        guard self[id]?.guidance != guidance else { return }
        change(.guidance(id), id) { $0.guidance = guidance }
    }

    /// Keeps why the device does what it does, and tells the listeners.
    public func post(reason: String, for id: DeviceID) {
        change(.guidance(id), id) { $0.reason = reason }
    }

    /// Changes from now on; a listener that does not keep up loses the oldest, and can read the board instead.
    public func changes() -> AsyncStream<BoardChange> { listeners.stream() }

    private func change(_ change: BoardChange, _ id: DeviceID, _ body: (inout DeviceState) -> Void) {
        let isKnown = state.withLock { state in
            guard var device = state.devices[id] else { return false }
            body(&device)
            state.devices[id] = device
            return true
        }
        if isKnown { listeners.tell(change) }
    }
}

/// Where a device reports; handed to `Device.run`.
public struct DeviceReporter: Sendable {
    /// The device.
    public let id: DeviceID
    private let board: DeviceBoard

    /// Makes a reporter that posts to `board`.
    public init(id: DeviceID, board: DeviceBoard) {
        self.id = id
        self.board = board
    }

    /// Posts a reading.
    public func report(_ reading: DeviceReading) { board.post(reading, for: id) }

    /// Posts a change of health.
    public func report(_ health: DeviceHealth) { board.post(health, for: id) }
}
