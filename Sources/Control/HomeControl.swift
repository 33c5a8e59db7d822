package import EnergyKit
import Foundation
package import HubKit

/// The hub's own decisions for the chargers of one home without a hub around them, for programs that run through a year.
///
/// Common plans are made at once, in the calling thread; everything else is what a tick of the hub does.
package struct HomeControl {
    /// A charger of the home.
    package struct Charger: Sendable {
        var configuration: DeviceConfiguration
        var capabilities: DeviceCapabilities

        /// Describes a charger.
        package init(_ configuration: DeviceConfiguration, _ capabilities: DeviceCapabilities) {
            self.configuration = configuration
            self.capabilities = capabilities
        }
    }

    /// What is known at one moment.
    package struct Moment: Sendable {
        /// The moment.
        package var now: Date
        /// What each charger reads.
        package var readings: [DeviceID: DeviceReading] = [:]
        /// What the grid meter reads; absent while it is silent.
        package var grid: DeviceReading?
        /// The guidance in force.
        package var guidance: ElectricityGuidance?
        /// What the sun is expected to leave.
        package var surplus: ExpectedSurplus?
        /// What all chargers may draw together, in watts, as someone outside says.
        package var externalWatts: Double?

        /// Makes a moment of which nothing is known yet.
        package init(now: Date) { self.now = now }
    }

    private let venue: Venue
    private let circuitAmps: [String: Double]
    private let planningSeconds: Double
    private let board = DeviceBoard()
    private var controls: [DeviceID: ChargerControl] = [:]
    private var planning = SharedPlanning()

    /// Takes up the chargers of a home.
    /// - Parameters:
    ///   - venue: the home.
    ///   - chargers: its chargers.
    ///   - circuitAmps: what each circuit carries, by its name.
    ///   - planningSeconds: real time that a common plan may take.
    ///   - now: when that is.
    package init(
        _ venue: Venue, chargers: [Charger], circuitAmps: [String: Double] = [:], planningSeconds: Double = 0.25,
        at now: Date
    ) {
        self.venue = venue
        self.circuitAmps = circuitAmps
        self.planningSeconds = planningSeconds
        for charger in chargers {
            board.add(
                charger.configuration, kind: .ev, capabilities: charger.capabilities,
                health: DeviceHealth(.ok, since: now))
            var use = DeviceUse()
            use.mode = .guided
            controls[charger.configuration.id] = ChargerControl(use: use)
        }
    }

    /// Sets what a car is to reach, or clears it.
    package mutating func setGoal(_ goal: ChargingGoal?, for id: DeviceID) {
        var stored = goal.map { DeviceUse.StoredGoal($0) }
        stored?.baselineWattHours = controls[id]?.countedWattHours
        controls[id]?.use.charging = stored
    }

    /// Decides what every charger is to do now.
    /// - Returns: amps for each phase, for those that are told something.
    package mutating func tick(_ moment: Moment) -> [DeviceID: Double] {
        for (id, reading) in moment.readings { board.post(reading, for: id) }
        let limits = HomeLimits(circuitAmps: circuitAmps, externalWatts: moment.externalWatts)
        let inputs = controls.keys.sorted().compactMap { id in
            board[id].map {
                TickInputs(
                    now: moment.now, device: $0, venue: venue, grid: moment.grid, guidance: moment.guidance,
                    carbonPricePerKg: 0, surplus: moment.surplus, limits: limits)
            }
        }
        let tick = ChargerTick(&controls, inputs, planning)
        let all = tick.outcomes.compactMap { outcome in controls[outcome.id].map { (outcome.id, $0) } }
        if let work = planning.work(for: all, limits: limits) {
            planning.finish(work, work.plans(deadlineSeconds: planningSeconds))
        }
        return Dictionary(
            uniqueKeysWithValues: tick.outcomes.compactMap { outcome in outcome.decision.amps.map { (outcome.id, $0) } }
        )
    }

    /// The plan of a charger, where it has one.
    package func plan(for id: DeviceID) -> DevicePlan? { controls[id]?.plan }

    /// When the next tick is due at the latest, beside the regular ones.
    package func nextEdge(after now: Date) -> Date? {
        controls.values.flatMap { [$0.plan?.nextEdge(after: now), $0.reachesGoalAt] }.compactMap(\.self)
            .filter { $0 > now }.min()
    }
}
