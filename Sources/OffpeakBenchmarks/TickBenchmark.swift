import Control
import EnergyKit
import Foundation
import HubKit
import Storage

/// How long a tick of the control loop takes with a thousand devices on the board.
enum TickBenchmark {
    private static let chargers = 100
    private static let heatPumps = 100
    private static let devices = 1000
    private static let ticks = 300

    static func run() async throws -> [Figure] {
        var latest: [Double] = []
        for _ in 0..<3 {
            var times = try await measure().sorted()
            times.removeLast(times.count / 100)
            latest.append((times.last ?? .nan) * 1000)
        }
        return [Figure(name: "tick with \(devices) devices, 99th percentile", unit: "ms", values: latest, bound: 50)]
    }

    /// Seconds of each tick, the first ones with their plans among them.
    @concurrent private static func measure() async throws -> [Double] {
        let clock = SystemClock()
        let folder = EventHouse.folder()
        let store = try await HubStore(folder: folder, clock: clock, log: .silent)
        let venue = Venue(
            id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR", connection: GridConnection(phases: 3, amps: 400))
        let board = DeviceBoard()
        let controller = Controller(
            board: board, plans: PlanBook(), venues: VenueRegistry([venue]),
            guidance: StandingGuidance(venue: venue.id, now: clock.now), store: store, clock: clock, log: .silent)
        let ids = try await fill(board, controller, venue, clock.now)
        let running = Task { await controller.run() }
        var times: [Double] = []
        var last = 0
        while times.count < ticks {
            let id = ids[times.count % ids.count]
            if let reading = board[id]?.reading {
                var next = reading
                next.at = clock.now
                board.post(next, for: id)
            }
            controller.wake()
            while await controller.ticks == last { await Task.yield() }
            last = await controller.ticks
            times.append(await controller.lastTickSeconds)
        }
        running.cancel()
        await running.value
        await store.close()
        try? FileManager.default.removeItem(at: folder)
        return times
    }

    private static func fill(
        _ board: DeviceBoard, _ controller: Controller, _ venue: Venue, _ now: Date
    ) async throws -> [DeviceID] {
        var ids: [DeviceID] = []
        for number in 0..<devices {
            guard let id = DeviceID("d\(number)") else { continue }
            ids.append(id)
            let kind: DeviceKind = number < chargers ? .ev : number < chargers + heatPumps ? .hvac : .meter
            let device = StandingDevice(kind: kind)
            var configuration = DeviceConfiguration(
                id: id, name: id.rawValue, venueID: venue.id, driver: "standing", connection: .none)
            if kind == .meter { configuration.role = number == devices - 1 ? .grid : .load }
            board.add(
                configuration, kind: kind, capabilities: device.capabilities, health: DeviceHealth(.ok, since: now))
            let goal = ChargingGoal(
                amount: .energy(wattHours: 20_000), readyBy: now.addingTimeInterval(10 * 3600), setAt: now)
            try await controller.adopt(device, id: id, firstGoal: kind == .ev ? goal : nil)
            board.post(device.reading(at: now), for: id)
        }
        return ids
    }
}

/// A device that takes every command and never changes.
private struct StandingDevice: Device {
    let kind: DeviceKind

    var capabilities: DeviceCapabilities {
        switch kind {
        case .ev:
            DeviceCapabilities(
                meter: MeterCapabilities(power: true, importEnergy: true),
                charger: ChargerCapabilities(
                    plugState: true, chargingState: true, currentLimit: CurrentRange(maximumAmps: 16)))
        case .hvac:
            DeviceCapabilities(
                hvac: HVACCapabilities(mode: true, temperatures: [.room], setpointCelsius: 10...30, reduce: [.reduced]))
        case .meter: DeviceCapabilities(meter: MeterCapabilities(power: true, importEnergy: true))
        }
    }

    func reading(at now: Date) -> DeviceReading {
        var reading = DeviceReading(at: now)
        reading.samples[.powerWatts] = Sample(500, at: now)
        switch kind {
        case .ev: (reading.plug, reading.charging) = (.plugged, .waiting)
        case .hvac: reading.samples[.roomCelsius] = Sample(21, at: now)
        case .meter: reading.samples[.importWattHours] = Sample(1000, at: now)
        }
        return reading
    }

    func run(_ reporter: DeviceReporter) async {}
    func inspect() async throws -> [InspectedPoint] { [] }

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        CommandReceipt(command, at: SystemClock().now, outcome: .applied)
    }
}

/// Two days of prices that change each hour.
private struct StandingGuidance: GuidanceProviding {
    let current: ElectricityGuidance

    init(venue: UUID, now: Date) {
        let begin = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
        let values = (0..<48).map { hour in
            let price = 0.20 + 0.10 * sin(Double(hour) / 24 * 2 * .pi)
            return ElectricityGuidance.Value(
                interval: DateInterval(start: begin.addingTimeInterval(Double(hour) * 3600), duration: 3600),
                rating: 0.5, pricePerKWh: price, gramsCO2PerKWh: 300)
        }
        current = ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue, suggestedAction: .shift, issuedAt: begin,
            interval: DateInterval(start: begin, duration: 48 * 3600), options: [], values: values)
    }

    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance { current }

    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        AsyncThrowingStream { $0.yield(current) }
    }
}
