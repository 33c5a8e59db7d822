import Foundation
package import HubKit

/// A device as the API, the stream and topics show it.
package struct DeviceJSON: Encodable, Sendable {
    /// How it is doing.
    package struct Health: Encodable, Sendable {
        var state: String
        var since: Date
        var reason: String?

        /// Takes over a state of health.
        package init(_ health: DeviceHealth) {
            state = health.state.rawValue
            since = health.since
            reason = health.reason
        }
    }

    /// What a person wants of it.
    package struct Goal: Encodable, Sendable {
        var energyWattHours: Double?
        var stateOfCharge: Double?
        var readyBy: Date?
        var minimumAmps: Double?
        var repeatsDaily: Bool?
        var setpointCelsius: Double?
        var comfortBandKelvin: Double?

        /// Takes over a goal.
        package init(_ goal: DeviceGoal) {
            switch goal {
            case .charge(let goal):
                switch goal.amount {
                case .energy(let wattHours): energyWattHours = wattHours
                case .stateOfCharge(let percent): stateOfCharge = percent
                }
                readyBy = goal.readyBy
                minimumAmps = goal.minimumAmps
                repeatsDaily = goal.repeatsDaily
            case .comfort(let goal):
                setpointCelsius = goal.setpointCelsius
                comfortBandKelvin = goal.comfortBandKelvin
            }
        }
    }

    var id: String
    var name: String
    var kind: String
    var driver: String
    var profile: String?
    var role: String?
    var venueID: UUID
    var capabilities: DeviceCapabilities
    var health: Health
    var reading: ReadingJSON?
    var mode: String?
    var goal: Goal?
    var limit: PriceLimit?
    var reason: String?
    var plan: DevicePlanJSON?

    /// Shows a device.
    /// - Parameters:
    ///   - state: what the board knows of it.
    ///   - plan: its plan, where there is one.
    ///   - currency: the currency of costs.
    package init(_ state: DeviceState, plan: DevicePlan?, currency: String?) {
        let configuration = state.configuration
        id = configuration.id.rawValue
        name = configuration.name
        kind = state.kind.rawValue
        driver = configuration.driver
        profile = configuration.profile
        role = configuration.role?.rawValue
        venueID = configuration.venueID
        capabilities = state.capabilities
        health = Health(state.health)
        reading = state.reading.map { ReadingJSON($0) }
        mode = state.mode?.rawValue
        goal = state.goal.map { Goal($0) }
        limit = state.limit
        reason = state.reason
        self.plan = plan.map { DevicePlanJSON($0, currency: currency) }
    }
}

/// A reading: each quantity under its own name, states as words; what is not known is absent.
package struct ReadingJSON: Encodable, Sendable {
    private let reading: DeviceReading

    /// Shows a reading.
    package init(_ reading: DeviceReading) { self.reading = reading }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes what is known; the rest is left out.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(reading.at, forKey: Key("at"))
        for (quantity, sample) in reading.samples {
            try container.encode(ReadingJSON.tidy(sample.value), forKey: Key(ReadingJSON.name(of: quantity)))
        }
        if let amps = reading.currentAmps {
            try container.encode(amps.map { $0.map { ReadingJSON.tidy($0) } }, forKey: Key("currentAmps"))
        }
        let estimated = reading.samples.filter { $0.value.quality != .measured }.keys.map { ReadingJSON.name(of: $0) }
            .sorted()
        if !estimated.isEmpty { try container.encode(estimated, forKey: Key("estimated")) }
        try container.encodeIfPresent(reading.plug?.rawValue, forKey: Key("plug"))
        try container.encodeIfPresent(reading.charging?.rawValue, forKey: Key("charging"))
        try container.encodeIfPresent(reading.hvacMode?.rawValue, forKey: Key("hvacMode"))
        try container.encodeIfPresent(reading.reduce?.rawValue, forKey: Key("reduce"))
    }

    /// Registers of 32 bits come with a tail of digits that no device has measured.
    private static func tidy(_ value: Double) -> Double { value.rounded(toPlaces: 6) }

    private static func name(of quantity: Quantity) -> String {
        switch quantity {
        case .stateOfChargePercent: "stateOfCharge"
        case .sessionWattHours: "sessionEnergyWattHours"
        case .stagePercent: "stage"
        default: quantity.rawValue
        }
    }
}

/// One device's plan.
package struct DevicePlanJSON: Encodable, Sendable {
    var deviceID: String
    var computedAt: Date
    var guidanceToken: UUID?
    var intervals: [DevicePlan.Interval]
    var energyWattHours: Double?
    var cost: Double?
    var costIfStartedNow: Double?
    var currency: String?
    var gramsCO2: Double?
    var unmetEnergyWattHours: Double?
    var reason: String

    /// Shows a plan.
    package init(_ plan: DevicePlan, currency: String?) {
        deviceID = plan.deviceID.rawValue
        computedAt = plan.computedAt
        guidanceToken = plan.token
        intervals = plan.intervals.map { interval in
            var interval = interval
            interval.powerWatts = interval.powerWatts?.rounded(toPlaces: 3)
            return interval
        }
        energyWattHours = plan.energyWattHours?.rounded(toPlaces: 3)
        cost = plan.cost?.rounded(toPlaces: 6)
        costIfStartedNow = plan.costIfStartedNow?.rounded(toPlaces: 6)
        self.currency = plan.cost == nil ? nil : currency
        gramsCO2 = plan.gramsCO2?.rounded(toPlaces: 3)
        unmetEnergyWattHours = plan.unmetWattHours > 0 ? plan.unmetWattHours.rounded(toPlaces: 3) : nil
        reason = plan.reason
    }
}

/// Every plan of a venue.
package struct VenuePlanJSON: Encodable, Sendable {
    var venueID: UUID
    var computedAt: Date?
    var devices: [DevicePlanJSON]

    /// Shows the plans of a venue.
    package init(_ venue: Venue, _ plans: [DevicePlan]) {
        let own = plans.filter { $0.venueID == venue.id }
        venueID = venue.id
        computedAt = own.map(\.computedAt).max()
        devices = own.map { DevicePlanJSON($0, currency: venue.currency) }
    }
}

/// What would be planned, as HTTP shows it.
package struct WhatIfJSON: Encodable, Sendable {
    var plan: DevicePlanJSON
    var current: DevicePlanJSON?
    var others: [DevicePlanJSON]

    /// Shows what would be planned beside what is.
    package init(_ answer: WhatIf, current: DevicePlan?, currency: String?) {
        plan = DevicePlanJSON(answer.plan, currency: currency)
        self.current = current.map { DevicePlanJSON($0, currency: currency) }
        others = answer.others.map { DevicePlanJSON($0, currency: currency) }
    }
}
