import EnergyKit
import Foundation
import HubKit
import LoadEvents
import MQTT
import Sinks
import Storage
import TestSupport

/// A store on a real disk with one home, and a sink with a client of its own.
struct SinkHouse: Sendable {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let store: HubStore
    let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR")
    let client: MQTTClient
    let sink: MQTTEventSink

    init(port: Int) async throws {
        folder = try TemporaryFolder()
        store = try await HubStore(folder: folder.url, clock: clock, log: .silent)
        client = try MQTTClient(quick(port: port))
        sink = MQTTEventSink(client: client, base: "offpeak")
    }

    /// A car's session of `count` events, a minute apart: its begin, what is between, its end.
    func session(of count: Int = 3, device: String = "car") -> [AnyLoadEvent] {
        let (session, token) = (UUID(), UUID())
        return (0..<count).map { index in
            let isEdge = index == 0 || index == count - 1
            return .electricVehicle(
                ElectricVehicleLoadEvent(
                    timestamp: clock.now.addingTimeInterval(Double(index) * 60),
                    measurement: .init(
                        stateOfCharge: 50, direction: .imported, power: .watts(isEdge ? 0 : 7200),
                        energy: .wattHours(Double(index) * 120)),
                    session: .init(
                        id: session, state: index == 0 ? .begin : isEdge ? .end : .active,
                        guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
                    deviceID: device))
        }
    }

    /// The events as the store would hand them to a sink.
    func stored(_ events: [AnyLoadEvent]) -> [StoredEvent] {
        events.enumerated().map { StoredEvent(sequence: Int64($0 + 1), venueID: venue.id, event: $1) }
    }
}

/// Quick to try again, so that tests need not wait.
func quick(port: Int) -> MQTTConfiguration {
    var configuration = MQTTConfiguration(host: "127.0.0.1", port: port)
    configuration.backoff = MQTTBackoff(initial: .milliseconds(20), maximum: .milliseconds(100))
    return configuration
}

/// A started client whose session the broker keeps, so that it misses nothing while either is away.
func keptSubscriber(port: Int) async throws -> MQTTClient {
    var configuration = quick(port: port)
    configuration.clientID = "subscriber"
    configuration.isCleanSession = false
    let client = try MQTTClient(configuration)
    await client.start()
    try await client.become { $0 == .connected }
    return client
}

extension MQTTClient {
    /// Waits for a state, also the present one.
    func become(_ isWanted: (MQTTState) -> Bool) async throws {
        for await state in states() where isWanted(state) { return }
        throw MQTTError.closed
    }

    /// Waits until the broker is away.
    func becomeDisconnected() async throws {
        try await become { if case .disconnected = $0 { true } else { false } }
    }
}

/// The event in a message.
func event(in message: MQTTMessage) throws -> AnyLoadEvent {
    try EnergyKitJSON.decoder().decode(AnyLoadEvent.self, from: Data(message.payload))
}

/// A broker of the test's own.
///
/// Tests run side by side, and another may take the port that was free a moment ago; then the next one is tried.
func ownBroker(isPersistent: Bool = false, settings: [String] = []) async throws -> MosquittoBroker {
    for _ in 1...4 {
        do {
            return try await MosquittoBroker(isPersistent: isPersistent, settings: settings)
        } catch ChildProcess.Failure.endedWithout(_, let output)
            where output.contains(where: { $0.contains("Address already in use") })
        {
            continue
        }
    }
    return try await MosquittoBroker(isPersistent: isPersistent, settings: settings)
}
