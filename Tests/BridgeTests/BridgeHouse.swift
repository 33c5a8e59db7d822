import Bridge
import Control
import EnergyKit
import Foundation
import HubKit
import MQTT
import Storage
import TestSupport

/// A hub without its edges but one: a charger and a heat pump that a test speaks for, a real controller and store, and
/// the bridge to a broker.
final class BridgeHouse: Sendable {
    static let base = "offpeak"

    let clock = ManualClock()
    let board = DeviceBoard()
    let plans = PlanBook()
    let collecting = CollectingLog()
    let guidance = GuidanceByHand()
    let charger = DeviceByHand(
        capabilities: DeviceCapabilities(
            charger: ChargerCapabilities(
                plugState: true, chargingState: true, currentLimit: CurrentRange(maximumAmps: 16), stateOfCharge: true))
    )
    let heatPump = DeviceByHand(
        capabilities: DeviceCapabilities(hvac: HVACCapabilities(setpointCelsius: 5...30, reduce: [.reduced])))
    let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR")
    let controller: Controller
    let venues: VenueRegistry
    private let store: HubStore
    /// The hub's name at the broker, the same at each of its starts.
    let instance = UUID().uuidString

    /// Makes the house with its store in `folder`.
    init(in folder: URL) async throws {
        venues = VenueRegistry([venue])
        store = try await HubStore(folder: folder, clock: clock, log: .silent)
        controller = Controller(
            board: board, plans: plans, venues: venues, guidance: guidance, store: store, clock: clock,
            log: collecting.log)
        try await add("car", .ev, charger) { $0.mode = .off }
        try await add("pump", .hvac, heatPump) {
            $0.comfort = ComfortGoal(setpointCelsius: 20, comfortBandKelvin: 1)
        }
    }

    private func add(
        _ id: DeviceID, _ kind: DeviceKind, _ device: DeviceByHand, _ change: (inout DeviceConfiguration) -> Void
    ) async throws {
        var configuration = DeviceConfiguration(
            id: id, name: id.rawValue, venueID: venue.id, driver: "byhand", connection: .none)
        change(&configuration)
        board.add(
            configuration, kind: kind, capabilities: device.capabilities,
            health: DeviceHealth(.starting, since: clock.now))
        try await controller.adopt(device, id: id, firstGoal: nil)
    }

    /// A device was read and is well.
    func read(_ id: DeviceID, _ fill: (inout DeviceReading) -> Void) {
        var reading = DeviceReading(at: clock.now)
        fill(&reading)
        board.post(reading, for: id)
        board.post(DeviceHealth(.ok, since: clock.now), for: id)
    }

    /// Runs the bridge, and what `alongside` does, while the body runs.
    func running(
        port: Int, base: String = base, homeAssistant: HomeAssistantLink? = nil,
        waits: (answer: Duration, look: Duration) = (.seconds(5), .seconds(60)),
        alongside: @escaping @Sendable () async -> Void = {},
        settings: (inout MQTTConfiguration) -> Void = { _ in },
        _ body: (MQTTBridge, MQTTClient) async throws -> Void
    ) async throws {
        var configuration = quick(port: port)
        settings(&configuration)
        let client = try MQTTClient(MQTTBridge.configured(configuration, base: base))
        let bridge = MQTTBridge(
            client: client, base: base, board: board, plans: plans, controller: controller, guidance: guidance,
            venues: venues, clock: clock, log: collecting.log,
            identity: HubIdentity(run: "\(instance) \(UUID())", host: "here"), waits: waits,
            homeAssistant: homeAssistant)
        let tasks = [Task { await bridge.run() }, Task { await alongside() }]
        await client.start()
        let failure: (any Error)?
        do {
            try await body(bridge, client)
            failure = nil
        } catch {
            failure = error
        }
        for task in tasks { task.cancel() }
        await client.close()
        for task in tasks { await task.value }
        if let failure { throw failure }
    }
}

/// Quick to try again, so that tests need not wait.
func quick(port: Int) -> MQTTConfiguration {
    var configuration = MQTTConfiguration(host: "127.0.0.1", port: port)
    configuration.backoff = MQTTBackoff(initial: .milliseconds(20), maximum: .milliseconds(100))
    return configuration
}

/// A broker of the test's own.
///
/// Tests run side by side, and another may take the port that was free a moment ago; then the next one is tried.
func ownBroker() async throws -> MosquittoBroker {
    for _ in 1...4 {
        do {
            return try await MosquittoBroker()
        } catch ChildProcess.Failure.endedWithout(_, let output)
            where output.contains(where: { $0.contains("Address already in use") })
        {
            continue
        }
    }
    return try await MosquittoBroker()
}
