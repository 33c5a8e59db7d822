import EnergyKit

// A thermostat's program: it heats less while electricity is bad, and tells the hub at which stage it runs.
//
// The room is a calculation, since a heat pump of yours speaks some way of its own; everything else is what an app does.

@main
enum ThermostatApp {
    static func main() async {
        do {
            try await run(Settings(CommandLine.arguments))
        } catch {
            print("error: \(error.localizedDescription)")
            if let advice = (error as? any LocalizedError)?.recoverySuggestion { print(advice) }
            exit(1)
        }
    }

    static func run(_ settings: Settings) async throws {
        let venues = try await EnergyVenue.venues()
        guard let venue = venues.first(where: { settings.venue == nil || $0.name == settings.venue }) else {
            throw EnergyKitError.venueUnavailable
        }
        let thermostat = Thermostat(settings, at: venue)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let query = ElectricityGuidance.Query(suggestedAction: .reduce)
                for try await guidance in ElectricityGuidance.sharedService.guidance(using: query, at: venue.id) {
                    await thermostat.follow(guidance)
                }
            }
            group.addTask { try await thermostat.run() }
            try await group.next()
            group.cancelAll()
        }
        try await showRuntime(of: settings.device.id, at: venue)
    }

    /// A heat pump's events carry no energy, so what they tell is how long it ran.
    private static func showRuntime(of device: String, at venue: EnergyVenue) async throws {
        let day = DateInterval(start: .now - 86_400, end: .now + 60)
        let query = ElectricityInsightQuery(
            options: .cleanliness, range: day, granularity: .hourly, flowDirection: .imported)
        let records = try await ElectricityInsightService.shared.runtimeInsights(
            forDeviceID: device, using: query, atVenue: venue.id)
        var total = Duration.zero
        for await record in records { total += record.totalRuntime ?? .zero }
        print("ran \(total.formatted(.time(pattern: .hourMinuteSecond))) in the last day")
    }
}

/// What the program was asked for; temperatures in degrees Celsius, times in seconds.
struct Settings {
    var venue: String?
    var device = ElectricalLoadDevice(id: "example-heat-pump", name: "Example heat pump", type: .hvac)
    var setpoint = 21.0
    var band = 2.0
    var room = 19.0
    var run = 3_600.0
    var every = 900.0

    static let usage = """
        usage: ThermostatApp [--venue NAME] [--device ID] [--setpoint CELSIUS] [--band KELVIN] [--room CELSIUS]
                             [--run SECONDS] [--every SECONDS]
        """

    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard name != "--help" else { Self.end(Self.usage, status: 0) }
            guard let value = rest.popFirst() else { Self.end("\(name) needs a value\n\(Self.usage)", status: 2) }
            switch name {
            case "--venue": venue = value
            case "--device": device = ElectricalLoadDevice(id: value, name: value, type: .hvac)
            case "--setpoint": setpoint = Self.number(value, of: name)
            case "--band": band = Self.number(value, of: name)
            case "--room": room = Self.number(value, of: name)
            case "--run": run = Self.number(value, of: name)
            case "--every": every = Self.number(value, of: name)
            default: Self.end("there is no option \(name)\n\(Self.usage)", status: 2)
            }
        }
    }

    private static func number(_ text: String, of name: String) -> Double {
        guard let number = Double(text), (0.01...1e6).contains(number) else {
            end("\(name) is a number from 0.01 to 1000000, not '\(text)'", status: 2)
        }
        return number
    }

    private static func end(_ text: String, status: Int32) -> Never {
        print(text)
        exit(status)
    }
}

/// The thermostat with its room.
actor Thermostat {
    private let settings: Settings
    private let venue: EnergyVenue
    private var guidance: ElectricityGuidance?
    private var room: Double
    private var session: UUID?
    private var stage = 0
    private var waiting: [ElectricHVACLoadEvent] = []

    init(_ settings: Settings, at venue: EnergyVenue) {
        self.settings = settings
        self.venue = venue
        room = settings.room
    }

    func follow(_ guidance: ElectricityGuidance) {
        print("guidance with \(guidance.values.count) ratings")
        self.guidance = guidance
    }

    /// The stage at a moment: the colder the room below what is wanted now, the more; 0 is idle.
    ///
    /// The better electricity is rated, the warmer it may be within the band.
    private func stage(at now: Date) -> Int {
        let rating = guidance?.values.first { $0.interval.start <= now && now < $0.interval.end }?.rating ?? 0.5
        let wanted = settings.setpoint - settings.band * rating
        return room >= wanted ? 0 : min(100, max(20, Int((wanted - room) * 50)))
    }

    /// Runs for the given time; every change of the stage is an event, and so is every quarter of an hour.
    func run() async throws {
        let end = Date.now + settings.run
        var next = Date.now
        while Date.now < end {
            if guidance != nil {
                let now = Date.now
                let stage = stage(at: now)
                if stage != self.stage || now >= next {
                    try await report(stage, at: now)
                    next = now + settings.every
                }
            }
            try await Task.sleep(for: .seconds(min(1, settings.every)))
            room += Double(stage) / 100 * 0.01 - 0.001
        }
        try await report(0, at: .now)
        if !waiting.isEmpty { throw EnergyKitError.serviceUnavailable }
    }

    /// From idle to running is a session's begin, from running to idle its end; both carry stage 0.
    private func report(_ stage: Int, at now: Date) async throws {
        defer { self.stage = stage }
        if session == nil, stage > 0 {
            session = UUID()
            add(.begin, 0, at: now)
        }
        guard session != nil else { return }
        if stage > 0 {
            add(.active, stage, at: now)
        } else {
            add(.end, 0, at: now)
            session = nil
        }
        try await send()
    }

    private func add(_ state: ElectricHVACLoadEvent.Session.State, _ stage: Int, at now: Date) {
        guard let session, let guidance else { return }
        print("\(state): stage \(stage) at \(room.formatted(.number.precision(.fractionLength(1)))) °C")
        waiting.append(
            ElectricHVACLoadEvent(
                timestamp: now, measurement: .init(stage: stage),
                session: .init(
                    id: session, state: state,
                    guidanceState: .init(wasFollowingGuidance: true, guidanceToken: guidance.guidanceToken)),
                device: settings.device))
    }

    /// Sends what waits: three attempts, after pauses of two and four seconds; then it waits for the next event.
    private func send() async throws {
        for attempt in 1...3 {
            do {
                let batch = waiting
                try await venue.submitEvents(batch)
                waiting.removeFirst(batch.count)
                return
            } catch EnergyKitError.serviceUnavailable, EnergyKitError.rateLimitExceeded {
                if attempt < 3 { try await Task.sleep(for: .seconds(pow(2, Double(attempt)))) }
            }
        }
    }
}
