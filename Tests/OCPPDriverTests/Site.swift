import Foundation
import HubKit
import OCPP
import OCPPDriver
import TestSupport
import Testing
import ThreadKit
import WebServer

/// A driver's device that chargers can connect to, as in a hub, with a clock by hand.
struct Site {
    let server: WebServer
    let port: Int
    let running: RunningDevice
    let clock: ManualClock
    let log = CollectingLog()
    /// A charger that nobody holds would leave.
    private let chargers = Locked<[VirtualCharger]>([])

    /// Keeps transactions in memory, as the hub's store does on disk.
    final class Book: ChargePointStore {
        let text = Locked<String?>(nil)
        func kept(for device: DeviceID) async throws -> String? { text.current }
        func keep(_ text: String, for device: DeviceID) async throws { self.text.withLock { $0 = text } }
    }

    init(
        store: Book? = nil, clock: ManualClock = ManualClock(),
        configure: (inout DeviceConfiguration) -> Void = { _ in }
    ) async throws {
        self.clock = clock
        let central = CentralSystem(store: store, clock: clock, log: log.log, settling: .zero)
        var configuration = Site.configuration()
        configure(&configuration)
        let driver = OCPPDriver(central: central)
        let device = try driver.makeDevice(configuration, in: .forTests(clock: clock, log: log.log))
        server = WebServer(configuration: WebServerConfiguration(), webSockets: [central.route]) { _ in .notFound }
        try await server.start()
        port = try #require(await server.boundPort)
        running = RunningDevice(device, configuration, kind: .ev, clock: clock)
    }

    static func configuration() -> DeviceConfiguration {
        var configuration = DeviceConfiguration(
            id: "garage", name: "Garage", venueID: UUID(), driver: "ocpp",
            connection: .ocpp(OCPPConnection(chargePoint: "CP1")))
        configuration.limits.maximumAmps = 16
        return configuration
    }

    /// Connects a charger that has started and has no car.
    func connect(answers: [String: String] = [:], status: String = "Available") async throws -> VirtualCharger {
        let charger = try await VirtualCharger.connect(port: port, answers: answers)
        chargers.withLock { $0.append(charger) }
        await charger.boot()
        await charger.say(status)
        return charger
    }

    /// Waits until the board shows something.
    func shows(_ isWanted: @escaping @Sendable (DeviceState) -> Bool) async -> Bool {
        await ended(within: .seconds(30)) { await running.wait(until: isWanted) }
    }

    func end() async {
        await running.stop()
        await server.stop(within: .seconds(1))
    }
}

/// Whether work ends by itself within a limit; it is cancelled then.
func ended(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
        group.addTask {
            await work()
            return !Task.isCancelled
        }
        group.addTask {
            try? await Task.sleep(for: limit)
            return false
        }
        defer { group.cancelAll() }
        return await group.next() ?? false
    }
}
