import EnergyKit

// A charger's program: it asks when electricity is good, charges then, and tells the hub what it did.
//
// The car is a calculation, since a charger of yours speaks some way of its own; everything else is what an app does.

@main
enum ChargerApp {
    static func main() async {
        do {
            try await run(Settings(CommandLine.arguments))
        } catch {
            print("error: \(error.localizedDescription)")
            if let advice = (error as? any LocalizedError)?.recoverySuggestion { print(advice) }
            exit(EventReporter.isWorthAnotherTry(error) ? 75 : 1)
        }
    }

    /// Follows guidance and charges until the car has what it needs or the time is over.
    static func run(_ settings: Settings) async throws {
        let venue = try await settings.chooseVenue()
        print("\(venue.name): \(settings.energy.formatted()) within \(settings.hours.formatted()) hours")
        let charger = Charger(settings, EventReporter(venue: venue))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let query = ElectricityGuidance.Query(suggestedAction: .shift)
                for try await guidance in ElectricityGuidance.sharedService.guidance(using: query, at: venue.id) {
                    await charger.follow(guidance)
                }
            }
            group.addTask { try await charger.run() }
            // Guidance goes on for ever, so what ends first is the charge, or an error.
            try await group.next()
            group.cancelAll()
        }
    }
}

/// What the program was asked for.
struct Settings {
    var venue: String?
    var device = ElectricalLoadDevice(id: "example-charger", name: "Example charger", type: .electricVehicle)
    var energy = Measurement(value: 12, unit: UnitEnergy.kilowattHours)
    var hours = 8.0
    var isImpatient = false
    var run = 7_200.0
    var every = 900.0

    static let usage = """
        usage: ChargerApp [--venue NAME] [--device ID] [--energy KWH] [--leave-in HOURS] [--now]
                          [--run SECONDS] [--every SECONDS]
        """

    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard name != "--now" else {
                isImpatient = true
                continue
            }
            guard name != "--help" else { Self.end(Self.usage, status: 0) }
            guard let value = rest.popFirst() else { Self.end("\(name) needs a value\n\(Self.usage)", status: 2) }
            switch name {
            case "--venue": venue = value
            case "--device": device = ElectricalLoadDevice(id: value, name: value, type: .electricVehicle)
            case "--energy": energy.value = Self.number(value, of: name)
            case "--leave-in": hours = Self.number(value, of: name)
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

    /// The home of the given name, or the only one.
    func chooseVenue() async throws -> EnergyVenue {
        let venues = try await EnergyVenue.venues()
        guard let venue = venues.first(where: { venue == nil || $0.name == venue }) else {
            throw EnergyKitError.venueUnavailable
        }
        return venue
    }
}

/// The hours in which to charge: those with the lowest rating, as many as the energy needs.
nonisolated struct ChargingPlan {
    let token: UUID
    let periods: [DateInterval]

    init(
        _ guidance: ElectricityGuidance, energy: Measurement<UnitEnergy>, power: Measurement<UnitPower>,
        before end: Date
    ) {
        var seconds = energy.converted(to: .joules).value / power.converted(to: .watts).value
        var chosen: [DateInterval] = []
        // Equal ratings stay in the order of time.
        let byRating = guidance.values.enumerated().sorted {
            ($0.element.rating, $0.offset) < ($1.element.rating, $1.offset)
        }
        for (_, value) in byRating where seconds > 0 && value.interval.start < end {
            chosen.append(value.interval)
            seconds -= value.interval.duration
        }
        token = guidance.guidanceToken
        periods = chosen.sorted()
    }

    func charges(at moment: Date) -> Bool {
        periods.contains { $0.start <= moment && moment < $0.end }
    }
}

/// The charger with its car.
actor Charger {
    private let settings: Settings
    private let reporter: EventReporter
    private let power = Measurement(value: 7.2, unit: UnitPower.kilowatts)
    private let capacity = Measurement(value: 60, unit: UnitEnergy.kilowattHours)
    private let deadline: Date
    private var plan: ChargingPlan?
    private var session: (id: UUID, begin: Date)?
    private var charged = Measurement(value: 0, unit: UnitEnergy.kilowattHours)

    init(_ settings: Settings, _ reporter: EventReporter) {
        self.settings = settings
        self.reporter = reporter
        deadline = Date.now + settings.hours * 3_600
    }

    /// Plans anew; a running session goes on under the new token.
    func follow(_ guidance: ElectricityGuidance) {
        let plan = ChargingPlan(guidance, energy: settings.energy - charged, power: power, before: deadline)
        print("charging in \(plan.periods.count) of \(guidance.values.count) periods")
        self.plan = plan
    }

    /// Charges step by step; every step that tells something new is an event.
    func run() async throws {
        let end = Date.now + settings.run
        while Date.now < end, session != nil || charged < settings.energy {
            try await step(at: .now)
            try await Task.sleep(for: .seconds(session == nil ? min(settings.every, 0.5) : settings.every))
        }
        if let session { try await finish(session, at: .now) }
        try await reporter.flush()
    }

    private func step(at now: Date) async throws {
        guard let plan else { return }
        let isWanted = settings.isImpatient || plan.charges(at: now)
        if let session {
            if isWanted, energy(of: session, at: now) + charged < settings.energy {
                try await report(.active, of: session, at: now, power: power)
            } else {
                try await finish(session, at: now)
            }
        } else if isWanted, charged < settings.energy {
            // A session begins with power and energy 0.
            let session = (id: UUID(), begin: now)
            self.session = session
            try await report(.begin, of: session, at: now, power: power * 0)
        }
    }

    private func finish(_ session: (id: UUID, begin: Date), at now: Date) async throws {
        self.session = nil
        // The last event has the session's energy, and power 0 again.
        try await report(.end, of: session, at: now, power: power * 0)
        charged = charged + energy(of: session, at: now)
    }

    private func energy(of session: (id: UUID, begin: Date), at now: Date) -> Measurement<UnitEnergy> {
        let joules = power.converted(to: .watts).value * now.timeIntervalSince(session.begin)
        let milliwattHours = Measurement(value: joules, unit: UnitEnergy.joules).converted(
            to: .EnergyKit.milliwattHours)
        return Measurement(value: milliwattHours.value.rounded(), unit: .EnergyKit.milliwattHours)
    }

    private func report(
        _ state: ElectricVehicleLoadEvent.Session.State, of session: (id: UUID, begin: Date), at now: Date,
        power: Measurement<UnitPower>
    ) async throws {
        guard let plan else { return }
        let energy = energy(of: session, at: now)
        let stored = Measurement(value: 24, unit: UnitEnergy.kilowattHours) + charged + energy
        let event = ElectricVehicleLoadEvent(
            timestamp: now,
            measurement: .init(
                stateOfCharge: Int((stored.converted(to: .kilowattHours).value / capacity.value * 100).rounded()),
                direction: .imported, power: power, energy: energy, performanceMetrics: nil),
            session: .init(
                id: session.id, state: state,
                guidanceState: .init(wasFollowingGuidance: !settings.isImpatient, guidanceToken: plan.token)),
            device: settings.device)
        print("\(state): \(energy.converted(to: .kilowattHours).formatted())")
        try await reporter.report(event)
    }
}

/// Sends events, keeps those that did not arrive, and sends them with the next.
actor EventReporter {
    private let venue: EnergyVenue
    private var waiting: [ElectricVehicleLoadEvent] = []

    init(venue: EnergyVenue) {
        self.venue = venue
    }

    /// Whether the same call may succeed a little later.
    static func isWorthAnotherTry(_ error: any Error) -> Bool {
        error as? EnergyKitError == .serviceUnavailable || error as? EnergyKitError == .rateLimitExceeded
    }

    /// Sends an event; if the hub is away it waits for the next one.
    func report(_ event: ElectricVehicleLoadEvent) async throws {
        waiting.append(event)
        do {
            try await flush()
        } catch let error where Self.isWorthAnotherTry(error) {
            print("\(waiting.count) events wait for the hub")
        }
    }

    /// Sends what waits: three attempts, after pauses of two and four seconds.
    func flush() async throws {
        guard !waiting.isEmpty else { return }
        for attempt in 1...3 {
            do {
                let batch = waiting
                try await venue.submitEvents(batch)
                waiting.removeFirst(batch.count)
                return
            } catch let error where Self.isWorthAnotherTry(error) && attempt < 3 {
                try await Task.sleep(for: .seconds(pow(2, Double(attempt))))
            }
        }
    }
}
