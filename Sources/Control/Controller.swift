import EnergyKit
package import Foundation
package import HubKit
package import Storage

/// Decides, ever and again, what each device is to do: reads the board, plans where something changed, and hands wishes
/// to the devices' mailboxes.
///
/// A tick does no I/O: it reads values, computes, and posts. What a person changes is on disk before it returns.
package actor Controller {
    let board: DeviceBoard
    let venues: VenueRegistry
    let clock: any HubClock
    let log: HubLog
    let store: HubStore
    package nonisolated let settings: ControlSettings
    /// Who is at home.
    package nonisolated let presence = PresenceBook()
    private let guidance: any GuidanceProviding
    private let plans: PlanBook
    private let wakeUp: WakeUp
    var mailboxes: [DeviceID: CommandMailbox] = [:]
    var chargers: [DeviceID: ChargerControl] = [:]
    var heatPumps: [DeviceID: HeatPumpControl] = [:]
    var batteries: [DeviceID: BatteryControl] = [:]
    /// What the chargers of each home did in the present tick.
    var besideBatteries: [UUID: ChargersBeside] = [:]
    /// What a limit from outside leaves to the heating of each home in the present tick.
    var heatingShares: [UUID: HeatingShares] = [:]
    /// Batteries and heating of each home in the present tick.
    var homes: [UUID: HomeInTick] = [:]
    private let expectedSurplus: @Sendable (UUID) async -> ExpectedSurplus?
    private var current: [DeviceID: ElectricityGuidance] = [:]
    private var surplus: [UUID: ExpectedSurplus] = [:]
    var kept: [DeviceID: DeviceUse] = [:]
    var keptPlans: [DeviceID: DevicePlan] = [:]
    private var houseLoads: [UUID: HouseLoad] = [:]
    private var sharedPlanning: [UUID: SharedPlanning] = [:]
    let planner = CommonPlanner()
    private var obedience: [DeviceID: Obedience] = [:]
    var unsaved: Set<DeviceID> = []
    var saveFault: StandingFault
    private var gridFaults: [UUID: StandingFault] = [:]
    /// The grid of each home in the present tick, which every device of the home asks for.
    private var gridViews: [UUID: GridView] = [:]
    var isReleased = false
    var externalLimits: [UUID: ExternalLimit] = [:]
    let listensSince: Date
    /// How long the last tick took, in real seconds.
    package private(set) var lastTickSeconds = 0.0
    /// Ticks since the start.
    package private(set) var ticks = 0

    /// Makes a controller; it decides nothing until `run`.
    package init(
        board: DeviceBoard, plans: PlanBook, venues: VenueRegistry, guidance: any GuidanceProviding, store: HubStore,
        clock: any HubClock, log: HubLog, settings: ControlSettings = ControlSettings(),
        expectedSurplus: @escaping @Sendable (UUID) async -> ExpectedSurplus? = { _ in nil }
    ) {
        self.expectedSurplus = expectedSurplus
        self.board = board
        self.plans = plans
        self.venues = venues
        self.guidance = guidance
        self.store = store
        self.clock = clock
        self.log = log.labelled("control")
        self.settings = settings
        wakeUp = WakeUp(clock: clock)
        listensSince = clock.now
        saveFault = StandingFault(reminderSeconds: 3600 * max(1, clock.speed))
    }

    /// Takes charge of a device: how it was used and what was planned before a restart is taken up again.
    /// - Parameters:
    ///   - device: the device.
    ///   - id: its name.
    ///   - firstGoal: the goal of the configuration, for a device nobody has set a goal for.
    package func adopt(_ device: any Device, id: DeviceID, firstGoal: ChargingGoal?) async throws {
        guard let state = board[id] else { return }
        mailboxes[id] = CommandMailbox(id: id, device: device, clock: clock, log: log)
        let before: DeviceUse? = try await stored("use", id)
        var use = before ?? DeviceUse()
        let isOrdered = state.capabilities.battery != nil && state.configuration.battery != nil
        use.mode = use.mode ?? state.configuration.mode ?? (state.kind == .meter && !isOrdered ? nil : .guided)
        switch state.kind {
        case .ev:
            // A goal that a person cleared stays cleared; the file's goal is for a device nobody has used yet.
            if before == nil {
                use.charging = firstGoal.map { DeviceUse.StoredGoal($0) }
                use.limit = state.configuration.limits.price
            }
            chargers[id] = ChargerControl(use: use, resuming: try await storedPlan(id))
        case .hvac:
            if before == nil { use.comfort = state.configuration.comfort }
            heatPumps[id] = HeatPumpControl(use: use, resuming: try await storedPlan(id))
        case .meter:
            guard isOrdered else { return }
            batteries[id] = BatteryControl(use: use, resuming: try await storedPlan(id))
        }
        kept[id] = use
        board.post(mode: use.mode, goal: use.goal, limit: use.limit, for: id)
    }

    /// Runs until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for id in Array(chargers.keys) + batteries.keys {
                group.addTask { await self.followGuidance(for: id, .shift) }
            }
            for id in heatPumps.keys { group.addTask { await self.followGuidance(for: id, .reduce) } }
            group.addTask { await self.watchBoard() }
            group.addTask { for await _ in self.presence.changes() { self.wake() } }
            group.addTask { await self.saveLoop() }
            for await _ in wakeUp.signals {
                if Task.isCancelled { break }
                tick()
                wakeUp.schedule(at: nextTick())
            }
            group.cancelAll()
        }
    }

    /// Asks for a tick as soon as possible.
    package nonisolated func wake() { wakeUp.now() }

    // MARK: - Tick

    private func tick() {
        guard !isReleased else { return }
        let began = ContinuousClock.now
        let now = clock.now
        gridViews.removeAll(keepingCapacity: true)
        presence.forgetOld(at: now)
        noteHouseLoads(now)
        noteHomes(now)
        shareLimits(now)
        decideChargers(now)
        for id in heatPumps.keys.sorted() { decideHeatPump(id, now) }
        for id in batteries.keys.sorted() { decideBattery(id, now) }
        ticks += 1
        lastTickSeconds = (ContinuousClock.now - began).inSeconds
    }

    func inputs(_ id: DeviceID, _ now: Date, countsBatteries: Bool = true) -> TickInputs? {
        guard let device = board[id], let venue = venues[device.configuration.venueID] else { return nil }
        let guidance = current[id].flatMap { $0.interval.end > now ? $0 : nil }
        let grid = gridView(in: venue.id, at: now)
        let sun = surplus[venue.id].map { countsBatteries ? left(of: $0, in: venue.id, at: now) : $0 }
        var inputs = TickInputs(
            now: now, device: device, venue: venue, grid: grid.reading, gridFault: grid.fault, guidance: guidance,
            carbonPricePerKg: settings.carbonPricePerKg[venue.id] ?? 0, surplus: sun,
            limits: limits(at: venue.id, now))
        inputs.house = houseLoads[venue.id] ?? HouseLoad()
        noteHome(&inputs)
        inputs.isAway = presence.presence(at: venue.id, now) == .away
        return inputs
    }

    private func noteHouseLoads(_ now: Date) {
        for venue in venues.all {
            let others = board.all.filter {
                $0.configuration.venueID == venue.id && ($0.kind == .ev || $0.configuration.role == .battery)
            }
            houseLoads[venue.id, default: HouseLoad()].note(
                gridView(in: venue.id, at: now).reading, others, phases: venue.connection?.phases ?? 3, at: now)
        }
    }

    /// Lets the chargers of every home decide, and has what they share planned outside of this tick.
    private func decideChargers(_ now: Date) {
        let all = chargers.keys.sorted().compactMap { inputs($0, now) }
        for (venue, inputs) in Dictionary(grouping: all, by: \.venue.id) {
            var planning = sharedPlanning[venue] ?? SharedPlanning()
            let tick = ChargerTick(&chargers, inputs, planning)
            if let first = inputs.first { noteFailSafe(first, isInForce: tick.isFailSafe) }
            for outcome in tick.outcomes { carryOut(outcome) }
            besideBatteries[venue] = tick.beside(chargers)
            let controls = tick.outcomes.compactMap { outcome in chargers[outcome.id].map { (outcome.id, $0) } }
            let work = planning.work(for: controls, limits: inputs.first?.limits ?? HomeLimits())
            sharedPlanning[venue] = planning
            if let work { plan(work, at: venue) }
        }
    }

    private func carryOut(_ outcome: ChargerTick.Outcome) {
        guard let control = chargers[outcome.id] else { return }
        let decision = outcome.decision
        var guidance = decision.guidance
        if !obedience[outcome.id, default: Obedience()].judge(decision.amps, outcome.inputs, clock) {
            guidance?.isFollowing = false
        }
        publish(outcome.id, use: control.use, plan: control.plan, decision.reason, guidance, control.announcement)
        if let phases = decision.phases { mailboxes[outcome.id]?.post(.usePhases(phases)) }
        if let amps = decision.amps { mailboxes[outcome.id]?.post(.limitCurrent(amps: amps)) }
    }

    private func plan(_ work: JointCharging, at venue: UUID) {
        Task { [planner, settings] in
            let plans = await planner.plans(work, within: settings.planningSeconds)
            finish(work, plans, at: venue)
        }
    }

    private func finish(_ work: JointCharging, _ plans: [DeviceID: DevicePlan]?, at venue: UUID) {
        if plans == nil {
            log.info("no common plan for \(work.keys.count) chargers in time; each is planned by itself")
        }
        sharedPlanning[venue]?.finish(work, plans)
        wakeUp.now()
    }

    func publish(
        _ id: DeviceID, use: DeviceUse, plan: DevicePlan?, _ reason: String, _ guidance: FollowedGuidance?,
        _ announcement: String?
    ) {
        let reason = mailboxes[id]?.trouble.map { "\(reason); \($0)" } ?? reason
        plans.post(plan, for: id)
        board.post(guidance, for: id)
        if let announcement { log.notice("\(id): \(announcement)") }
        if board[id]?.reason != reason {
            board.post(reason: reason, for: id)
            log.info("\(id): \(reason)")
        }
        if kept[id] != use || keptPlans[id] != plan {
            if kept[id]?.mode != use.mode || kept[id]?.goal != use.goal {
                board.post(mode: use.mode, goal: use.goal, limit: use.limit, for: id)
            }
            kept[id] = use
            keptPlans[id] = plan
            unsaved.insert(id)
        }
    }

    func gridView(in venue: UUID, at now: Date) -> GridView {
        if let known = gridViews[venue] { return known }
        let view = GridView(
            board.all.first { $0.configuration.venueID == venue && $0.configuration.role == .grid },
            within: clock.tolerance(seconds: settings.meterStaleSeconds), at: now)
        gridViews[venue] = view
        return view
    }

    /// Says why chargers fall back to their fail-safe share, and that they no longer do.
    private func noteFailSafe(_ inputs: TickInputs, isInForce: Bool) {
        guard let connection = inputs.venue.connection else { return }
        var fault = gridFaults[inputs.venue.id] ?? StandingFault(reminderSeconds: 3600 * max(1, clock.speed))
        defer { gridFaults[inputs.venue.id] = fault }
        guard isInForce else {
            // It also ends while no charger is heard; without a meter there is nothing to go by then either.
            guard gridView(in: inputs.venue.id, at: inputs.now).fault == nil else { return }
            let line = "the chargers at \(inputs.venue.name) go by the grid meter again"
            if let line = fault.ended(line, at: inputs.now) { log.notice(line) }
            return
        }
        let view = gridView(in: inputs.venue.id, at: inputs.now)
        // In its first moments a meter has not had its chance yet.
        guard !view.isStarting else { return }
        let amps = PlainNumber.text(connection.amps * ConnectionLimit.failSafeShare, .limitAmps)
        let text = "the chargers at \(inputs.venue.name) share \(amps) of each phase, because \(view.sentence)"
        guard let line = fault.failed(text, at: inputs.now) else { return }
        if view.meter == nil {
            // How the home is built, and nothing that passes.
            if fault.count == 1 { log.info(line) }
        } else {
            log.warning(line)
        }
    }

    private func nextTick() -> Date {
        let now = clock.now
        let edges =
            plans.all.compactMap { $0.nextEdge(after: now) } + chargers.values.compactMap(\.reachesGoalAt)
            + externalEdges + presence.edges
        let next = edges.filter { $0 > now }.min() ?? .distantFuture
        return min(next, now.addingTimeInterval(settings.tickSeconds))
    }

    // MARK: - What wakes a tick

    private func followGuidance(for id: DeviceID, _ action: ElectricityGuidance.SuggestedAction) async {
        guard let venue = board[id]?.configuration.venueID else { return }
        while !Task.isCancelled {
            do {
                for try await guidance in guidance.updates(action, at: venue, for: id.rawValue) {
                    // Asked for first: a plan that is made now should know of the sun already.
                    surplus[venue] = await expectedSurplus(venue)
                    current[id] = guidance
                    wakeUp.now()
                }
            } catch {
                log.debug("guidance for \(id) ended: \(plainWords(of: error))")
            }
            // It comes back by itself; until then plans go by what is known.
            guard (try? await clock.sleep(seconds: 30)) != nil else { return }
        }
    }

    private func watchBoard() async {
        var plugs: [DeviceID: PlugState] = [:]
        let changes = board.changes()
        // What was read before anyone listened is seen by this tick.
        wakeUp.now()
        for await change in changes {
            switch change {
            case .reading(let id):
                guard let plug = board[id]?.reading?.plug, plugs[id] != plug else { continue }
                plugs[id] = plug
                wakeUp.now()
            case .health, .use:
                wakeUp.now()
            case .guidance:
                break
            }
        }
    }

    /// Changes how a device is used: on disk first, then in force.
    func change(_ id: DeviceID, _ edit: (inout DeviceUse) -> Void) async throws {
        guard var use = chargers[id]?.use ?? heatPumps[id]?.use ?? batteries[id]?.use else { return }
        edit(&use)
        try await keep(use, "use", id)
        // A tick may have noted something meanwhile, which is kept as well.
        if var control = chargers[id] {
            edit(&control.use)
            use = control.use
            chargers[id] = control
        } else if var control = heatPumps[id] {
            edit(&control.use)
            use = control.use
            heatPumps[id] = control
        } else if var control = batteries[id] {
            edit(&control.use)
            use = control.use
            batteries[id] = control
        }
        kept[id] = use
        unsaved.insert(id)
        board.post(mode: use.mode, goal: use.goal, limit: use.limit, for: id)
        wakeUp.now()
    }
}
