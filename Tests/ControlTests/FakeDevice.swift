import EnergyKit
import Foundation
import HubKit
import Storage
import TestSupport
import ThreadKit

@testable import Control

/// A device that notes what it is told, and answers as a test says.
actor FakeDevice: Device {
    enum Answer: Sendable {
        case applied, unchanged
        case refused(String)
        case deferred(until: Date)
        case fails(HubError)
        /// It answers only when the gate is opened.
        case hangs(Gate)
    }

    nonisolated let capabilities: DeviceCapabilities
    /// Each command as it arrives.
    nonisolated let arrivals: AsyncStream<DeviceCommand>
    private let arrived: AsyncStream<DeviceCommand>.Continuation
    private(set) var commands: [DeviceCommand] = []
    private(set) var mostAtOnce = 0
    private var atOnce = 0
    private var answers: [Answer]
    private let clock: any HubClock

    init(_ capabilities: DeviceCapabilities, clock: any HubClock, answers: [Answer] = []) {
        self.capabilities = capabilities
        self.clock = clock
        self.answers = answers
        (arrivals, arrived) = AsyncStream.makeStream(of: DeviceCommand.self)
    }

    func run(_ reporter: DeviceReporter) async {}

    func inspect() async throws -> [InspectedPoint] { [] }

    func answer(_ next: [Answer]) { answers = next }

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        atOnce += 1
        mostAtOnce = max(mostAtOnce, atOnce)
        defer { atOnce -= 1 }
        commands.append(command)
        arrived.yield(command)
        let outcome: CommandReceipt.Outcome
        switch answers.isEmpty ? .applied : answers.removeFirst() {
        case .applied: outcome = .applied
        case .unchanged: outcome = .unchanged
        case .refused(let reason): outcome = .refused(reason: reason)
        case .deferred(let until): outcome = .deferred(until: until, reason: "not yet")
        case .fails(let error): throw error
        case .hangs(let gate):
            await gate.wait()
            outcome = .applied
        }
        return CommandReceipt(command, at: clock.now, outcome: outcome)
    }
}

/// Holds whoever waits until it is opened; deaf to cancellation, as a blocking call is.
final class Gate: Sendable {
    private let state = Locked<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A guidance service that hands out what a test gives it.
final class FakeGuidance: GuidanceProviding {
    private struct State {
        var current: ElectricityGuidance?
        var listeners: [AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation] = []
    }

    private let state: Locked<State>

    init(_ current: ElectricityGuidance? = nil) { state = Locked(State(current: current)) }

    func send(_ guidance: ElectricityGuidance) {
        let listeners = state.withLock { state in
            state.current = guidance
            return state.listeners
        }
        for listener in listeners { listener.yield(guidance) }
    }

    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance {
        guard let current = state.current.current else { throw EnergyKitFailure(.guidanceUnavailable) }
        return current
    }

    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ElectricityGuidance.self)
        let current = state.withLock { state in
            state.listeners.append(continuation)
            return state.current
        }
        if let current { continuation.yield(current) }
        return stream
    }
}

/// A controller with a real store, a clock moved by hand and devices that note what they are told.
final class ControllerLab: Sendable {
    static let chargerCapabilities = DeviceCapabilities(
        meter: MeterCapabilities(power: true, importEnergy: true),
        charger: ChargerCapabilities(
            plugState: true, chargingState: true, currentLimit: CurrentRange(maximumAmps: 16)))
    static let heatPumpCapabilities = DeviceCapabilities(
        hvac: HVACCapabilities(
            mode: true, temperatures: [.room, .outdoor], setpointCelsius: 10...30, reduce: [.reduced]))

    let folder: TemporaryFolder
    let clock: ManualClock
    let venue: Venue
    let board = DeviceBoard()
    let plans = PlanBook()
    let guidance: FakeGuidance
    let store: HubStore
    let controller: Controller
    let log = CollectingLog()
    let wallbox: FakeDevice
    let heatPump: FakeDevice
    private let running = Locked<Task<Void, Never>?>(nil)

    init(
        at start: Date, folder: TemporaryFolder? = nil, guidance current: ElectricityGuidance? = nil,
        fuse: GridConnection? = nil, venueID: UUID = UUID(), firstGoal: ChargingGoal? = nil,
        settings: ControlSettings = ControlSettings(), hasMeter: Bool = true
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        let clock = ManualClock(start)
        let venue = Venue(id: venueID, name: "Home", timeZone: .gmt, currency: "EUR", connection: fuse)
        self.folder = folder
        self.clock = clock
        self.venue = venue
        guidance = FakeGuidance(current)
        store = try await HubStore(folder: folder.url, clock: clock, log: log.log)
        wallbox = FakeDevice(Self.chargerCapabilities, clock: clock)
        heatPump = FakeDevice(Self.heatPumpCapabilities, clock: clock)
        controller = Controller(
            board: board, plans: plans, venues: VenueRegistry([venue]), guidance: guidance, store: store, clock: clock,
            log: log.log, settings: settings)
        try await add(wallbox, "wallbox", .ev, firstGoal)
        try await add(heatPump, "heatpump", .hvac)
        guard hasMeter else { return }
        var meter = DeviceConfiguration(
            id: "meter", name: "Meter", venueID: venue.id, driver: "meter", connection: .none)
        meter.role = .grid
        board.add(
            meter, kind: .meter, capabilities: DeviceCapabilities(), health: DeviceHealth(.starting, since: start))
    }

    func add(
        _ device: FakeDevice, _ id: DeviceID, _ kind: DeviceKind, _ firstGoal: ChargingGoal? = nil,
        vehicle: VehicleConfiguration? = nil
    ) async throws {
        var configuration = DeviceConfiguration(
            id: id, name: id.rawValue, venueID: venue.id, driver: "fake", connection: .none)
        configuration.vehicle = vehicle
        board.add(
            configuration, kind: kind, capabilities: device.capabilities,
            health: DeviceHealth(.starting, since: clock.now))
        try await controller.adopt(device, id: id, firstGoal: firstGoal)
    }

    func start() {
        let task = Task { [controller] in await controller.run() }
        running.withLock { $0 = task }
    }

    /// Ends it as the hub does.
    func stop(within deadline: Duration = .seconds(10)) async {
        await controller.release(within: deadline)
        let task = running.current
        task?.cancel()
        await task?.value
        await store.close()
    }

    /// A charger's reading, as of now.
    func plugIn(_ id: DeviceID = "wallbox", watts: Double = 0, counter: Double = 1000, limit: Double? = nil) {
        board.post(charger(clock.now, watts: watts, counter: counter, limit: limit), for: id)
    }

    /// What is on disk of a device, as another process reads it.
    func kept<Value: Decodable>(_ key: String, _ id: DeviceID, as type: Value.Type) async throws -> Value? {
        let other = try await HubStore(folder: folder.url, clock: clock, log: .silent, use: .guest)
        let text = try await other.setting(key, device: id)
        await other.close()
        return try text.map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
