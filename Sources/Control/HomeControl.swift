package import EnergyKit
import Foundation
package import HubKit

/// The hub's own decisions for one home without a hub around them, for programs that run through a year.
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

    /// What is to be done; what is left out stays as it is.
    package struct Orders: Sendable {
        /// Amps for each phase, by charger.
        package var amps: [DeviceID: Double] = [:]
        /// What the battery is told.
        package var battery: BatteryOrder?
        /// The load state of the heat pump.
        package var heating: ReduceState?
    }

    private let venue: Venue
    private let circuitAmps: [String: Double]
    private let planningSeconds: Double
    private let board = DeviceBoard()
    private var controls: [DeviceID: ChargerControl] = [:]
    private var planning = SharedPlanning()
    private var houseLoad = HouseLoad()
    private var battery: (id: DeviceID, control: BatteryControl)?
    private var heatPump: (id: DeviceID, control: HeatPumpControl)?

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

    /// Takes up a home battery that takes every order.
    /// - Parameter configuration: its name, and what is known of it.
    package mutating func add(battery configuration: DeviceConfiguration, at now: Date) {
        var capabilities = DeviceCapabilities()
        capabilities.battery = BatteryCapabilities(hold: true, charge: true)
        board.add(configuration, kind: .meter, capabilities: capabilities, health: DeviceHealth(.ok, since: now))
        var use = DeviceUse()
        use.mode = .guided
        battery = (configuration.id, BatteryControl(use: use))
    }

    /// Takes up a heat pump that can be reduced and boosted.
    /// - Parameters:
    ///   - configuration: its name.
    ///   - comfort: what people want.
    ///   - now: when that is.
    package mutating func add(heatPump configuration: DeviceConfiguration, comfort: ComfortGoal, at now: Date) {
        board.add(
            configuration, kind: .hvac,
            capabilities: DeviceCapabilities(
                hvac: HVACCapabilities(mode: true, temperatures: [.room, .outdoor], reduce: [.reduced, .boosted])),
            health: DeviceHealth(.ok, since: now))
        var use = DeviceUse()
        use.mode = .guided
        use.comfort = comfort
        heatPump = (configuration.id, HeatPumpControl(use: use))
    }

    /// Sets what a car is to reach, or clears it.
    package mutating func setGoal(_ goal: ChargingGoal?, for id: DeviceID) {
        var stored = goal.map { DeviceUse.StoredGoal($0) }
        stored?.baselineWattHours = controls[id]?.countedWattHours
        controls[id]?.use.charging = stored
    }

    /// Decides what every device is to do now.
    package mutating func tick(_ moment: Moment) -> Orders {
        for (id, reading) in moment.readings { board.post(reading, for: id) }
        let limits = HomeLimits(circuitAmps: circuitAmps, externalWatts: moment.externalWatts)
        let seen = heatPump.flatMap { pump in pump.control.mostWatts.map { [pump.id: $0] } } ?? [:]
        let shares = HeatingShares(board.all.filter { $0.kind == .hvac }, limits, seen: seen)
        houseLoad.note(
            moment.grid, board.all.filter { $0.kind != .hvac }, phases: venue.connection?.phases ?? 3, at: moment.now)
        let house = houseLoad
        func inputs(_ id: DeviceID, _ surplus: ExpectedSurplus?) -> TickInputs? {
            board[id].map {
                var inputs = TickInputs(
                    now: moment.now, device: $0, venue: venue, grid: moment.grid, guidance: moment.guidance,
                    carbonPricePerKg: 0, surplus: surplus, limits: limits)
                inputs.house = house
                inputs.heatingWatts = shares.drawnWatts
                inputs.heatingShare = shares.shares[id]
                if moment.grid == nil { inputs.gridFault = "the grid meter does not answer" }
                return inputs
            }
        }
        let left = surplusBesideBattery(moment)
        let chargerInputs = controls.keys.sorted().compactMap { inputs($0, left) }
        let tick = ChargerTick(&controls, chargerInputs, planning)
        let all = tick.outcomes.compactMap { outcome in controls[outcome.id].map { (outcome.id, $0) } }
        if let work = planning.work(for: all, limits: limits) {
            planning.finish(work, work.plans(deadlineSeconds: planningSeconds))
        }
        var orders = Orders()
        for outcome in tick.outcomes { orders.amps[outcome.id] = outcome.decision.amps }
        let beside = tick.beside(controls)
        if let id = battery?.id, let inputs = inputs(id, moment.surplus) {
            orders.battery = battery?.control.decide(inputs, beside: beside).order
        }
        if let id = heatPump?.id, var inputs = inputs(id, nil) {
            inputs.carsHurry = inputs.isConnectionShort(beside)
            orders.heating = heatPump?.control.decide(inputs).state
        }
        return orders
    }

    private func surplusBesideBattery(_ moment: Moment) -> ExpectedSurplus? {
        guard let id = battery?.id, let device = board[id], let configuration = device.configuration.battery,
            let percent = device.reading?[.stateOfChargePercent]
        else { return moment.surplus }
        return moment.surplus?.beside(configuration, stateOfCharge: percent, at: moment.now)
    }

    /// The plan of a charger, where it has one.
    package func plan(for id: DeviceID) -> DevicePlan? { controls[id]?.plan }

    /// When the next tick is due at the latest, beside the regular ones.
    package func nextEdge(after now: Date) -> Date? {
        (controls.values.flatMap { [$0.plan?.nextEdge(after: now), $0.reachesGoalAt] }
            + [battery?.control.plan?.nextEdge(after: now), heatPump?.control.plan?.nextEdge(after: now)])
            .compactMap(\.self).filter { $0 > now }.min()
    }
}
