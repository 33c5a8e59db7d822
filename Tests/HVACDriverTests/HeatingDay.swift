import Control
import EnergyKit
import Foundation
import HVACDriver
import HubKit
import Modbus
import ProfileKit
import Storage
import TestSupport
import ThreadKit

/// A virtual day of one heating device: its twin on real Modbus, its driver, and the hub's own control.
final class HeatingDay: Sendable {
    static let stepSeconds = 30.0
    static let band = 1.0

    /// What the day brought.
    struct Outcome: Sendable {
        /// Writes to the device, all in all and the most in one hour.
        var writes = 0
        var mostInAnHour = 0
        /// Seconds in which the hub had it reduced, by what the device has.
        var reducedSeconds = 0.0
        /// Seconds in which the device could not be reached.
        var lostSeconds = 0.0
    }

    let twin: RoomTwin
    let clock: ManualClock
    private let controller: Controller
    private let board = DeviceBoard()
    private let store: HubStore
    private let folder: TemporaryFolder
    private let tasks: Locked<[Task<Void, Never>]>
    private let start: Date

    /// - Parameters:
    ///   - kind: the device.
    ///   - bad: the ratings of the day's bad hours, by hour; the others are good.
    init(_ kind: RoomTwin.Kind, bad: [Int: Double]) async throws {
        let start = Date(timeIntervalSince1970: 1_796_083_200)
        let (clock, twin) = (ManualClock(start), try RoomTwin(kind))
        (self.start, self.clock, self.twin) = (start, clock, twin)
        let folder = try TemporaryFolder()
        self.folder = folder
        try folder.write(RoomTwin.thermostatProfile, to: "hvac/acme-thermostat.yaml")
        let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt)
        let guidance = RatedDay(start, bad, at: venue.id)
        let context = DriverContext(
            venues: VenueRegistry([venue]), guidance: guidance, events: NoOpEvents(),
            profiles: ProfileLibrary(roots: [folder.url, ProfileLibrary.shippedFolder]), clock: clock, log: .silent)
        var configuration = try DeviceConfiguration.forTests(
            "hvac", profile: kind == .stiebel ? "stiebel-isg" : "acme-thermostat", port: twin.device.server.port,
            id: "heating")
        configuration.venueID = venue.id
        configuration.comfort = ComfortGoal(setpointCelsius: 21, comfortBandKelvin: Self.band)
        configuration.mode = .guided
        configuration.pollSeconds = Self.stepSeconds
        let device = try HVACDriver(buses: ModbusBuses()).makeDevice(configuration, in: context)
        board.add(
            configuration, kind: .hvac, capabilities: device.capabilities,
            health: DeviceHealth(.starting, since: start))
        store = try await HubStore(folder: folder.url, clock: clock, log: .silent)
        var settings = ControlSettings()
        settings.tickSeconds = Self.stepSeconds
        controller = Controller(
            board: board, plans: PlanBook(), venues: VenueRegistry([venue]), guidance: guidance, store: store,
            clock: clock, log: .silent, settings: settings)
        try await controller.adopt(device, id: configuration.id, firstGoal: nil)
        let reporter = DeviceReporter(id: configuration.id, board: board)
        let controller = controller
        tasks = Locked([Task { await device.run(reporter) }, Task { await controller.run() }])
    }

    /// Lets time pass.
    /// - Parameters:
    ///   - hours: how much.
    ///   - lost: whether the device can't be reached at a moment, in hours of the day, by whether it is reduced.
    func pass(hours: Double, lost: (_ hour: Double, _ isReduced: Bool) -> Bool = { _, _ in false }) async -> Outcome {
        var outcome = Outcome()
        var byHour: [Int: Int] = [:]
        var isLost = false
        var counted = twin.device.writes.count
        for _ in 0..<Int(hours * 3600 / Self.stepSeconds) {
            // The poll loop and the next tick; a command that is put off waits besides.
            await clock.waitForSleepers(2)
            let hour = clock.now.timeIntervalSince(start) / 3600
            let wasLost = isLost
            isLost = lost(hour, isReduced)
            if isLost != wasLost { cut(isLost) }
            await clock.advance(by: Self.stepSeconds, keeping: 2)
            // One that is still on its way is counted with the next step.
            let writes = twin.device.writes.count - counted
            counted += writes
            outcome.writes += writes
            byHour[Int(hour), default: 0] += writes
            twin.pass(Self.stepSeconds, writes: writes)
            if isReduced { outcome.reducedSeconds += Self.stepSeconds }
            if isLost { outcome.lostSeconds += Self.stepSeconds }
        }
        if isLost { cut(false) }
        outcome.mostInAnHour = byHour.values.max() ?? 0
        return outcome
    }

    private func cut(_ isCut: Bool) {
        twin.device.server.refuseConnections(isCut)
        if isCut { twin.device.server.closeConnections() }
    }

    /// Whether the device has a reduction.
    var isReduced: Bool { twin.kind == .stiebel ? twin.room.isLocked : twin.setpoint < 21 }

    /// Ends it as the hub does.
    func end() async {
        await controller.release(within: .seconds(10))
        for task in tasks.current {
            task.cancel()
            await task.value
        }
        await store.close()
    }
}

/// Guidance for two days of hours, from a midnight on.
private struct RatedDay: GuidanceProviding {
    let guidance: ElectricityGuidance

    init(_ start: Date, _ bad: [Int: Double], at venue: UUID) {
        let values = (0..<48).map { hour in
            ElectricityGuidance.Value(
                interval: DateInterval(start: start.addingTimeInterval(Double(hour) * 3600), duration: 3600),
                rating: bad[hour] ?? 0.3, pricePerKWh: nil, gramsCO2PerKWh: nil)
        }
        guidance = ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue, suggestedAction: .reduce, issuedAt: start,
            interval: DateInterval(start: start, duration: 48 * 3600), options: [], values: values)
    }

    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance { guidance }

    /// Never ends: who follows waits for nothing of the clock's.
    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ElectricityGuidance.self)
        continuation.yield(guidance)
        kept.withLock { $0.append(continuation) }
        return stream
    }

    private let kept = Locked<[AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation]>([])
}
