import Foundation
import HubKit

/// Heating and cooling: what they do, and what they leave to the rest of the home.
extension Controller {
    func decideHeatPump(_ id: DeviceID, _ now: Date) {
        guard var inputs = inputs(id, now), var control = heatPumps[id] else { return }
        let beside = besideBatteries[inputs.venue.id] ?? ChargersBeside()
        inputs.pendingWatts = beside.pendingWatts + pendingHeat(in: inputs.venue.id, beside: id, at: now)
        inputs.carsHurry = inputs.isConnectionShort(
            for: chargers.filter { board[$0.key]?.configuration.venueID == inputs.venue.id }.values)
        inputs.heatingShare = heatingShares[inputs.venue.id]?.shares[id]
        inputs.limitLeftWatts = inputs.limits.externalWatts.map {
            max(0, $0 - inputs.heatingWatts - beside.drawnWatts - beside.pendingWatts)
        }
        let decision = control.decide(inputs)
        heatPumps[id] = control
        publish(id, use: control.use, plan: control.plan, decision.reason, decision.guidance, nil)
        for command in decision.commands { mailboxes[id]?.post(command) }
    }

    /// What other heating was offered and the grid meter has not seen yet, in watts: it is not there twice.
    private func pendingHeat(in venue: UUID, beside id: DeviceID, at now: Date) -> Double {
        heatPumps.reduce(0) { sum, pump in
            guard pump.key != id, let device = board[pump.key], device.configuration.venueID == venue else {
                return sum
            }
            return sum
                + pump.value.surplus.pendingWatts(
                    drawn: device.reading?.powerWatts,
                    drawsOnlyThis: device.capabilities.hvac?.drawsOnlySurplus == true, at: now)
        }
    }

    /// What holds of circuits and of limits from outside.
    func limits(at venue: UUID, _ now: Date) -> HomeLimits {
        var limits = HomeLimits(circuitAmps: settings.circuitAmps, external: allowedPower(at: venue, now))
        limits.isLimitedFromOutside = externalLimits[venue] != nil || settings.externalLimits[venue] != nil
        return limits
    }

    /// Gives heating and cooling their part of each limit from outside, before chargers share the rest.
    func shareLimits(_ now: Date) {
        heatingShares = [:]
        for venue in venues.all {
            let limits = limits(at: venue.id, now)
            guard limits.externalWatts != nil else { continue }
            let pumps = board.all.filter { $0.configuration.venueID == venue.id && $0.kind == .hvac }
            heatingShares[venue.id] = HeatingShares(pumps, limits, seen: heatPumps.compactMapValues(\.mostWatts))
        }
    }

    /// What others have to know of heating: a car comes before all of it, a heat pump before heating rods.
    func noteHeating(_ inputs: inout TickInputs) {
        let venue = inputs.venue.id
        inputs.heatingWatts = heatingShares[venue]?.drawnWatts ?? 0
        let own = inputs.device
        guard own.kind == .ev || own.capabilities.hvac?.drawsOnlySurplus == false else { return }
        inputs.yieldedWatts = heatPumps.reduce(0) { sum, pump in
            guard let device = board[pump.key], device.configuration.venueID == venue,
                own.kind == .ev || device.capabilities.hvac?.drawsOnlySurplus == true
            else { return sum }
            return sum + pump.value.surplusDrawn(by: device)
        }
    }

    /// What the batteries of a home give now, in watts, negative where they take what others may have instead; absent
    /// where one of them is not heard.
    func batteryWatts(in venue: UUID, at now: Date) -> Double? {
        let seconds = clock.tolerance(seconds: settings.meterStaleSeconds)
        return board.all.reduce(0.0 as Double?) { sum, device in
            guard device.configuration.venueID == venue, device.configuration.role == .battery else { return sum }
            guard let sum, let reading = device.freshReading(within: seconds, at: now), let watts = reading.powerWatts
            else { return nil }
            let priority = device.configuration.battery?.priorityStateOfCharge ?? 100
            let isServed = reading[.stateOfChargePercent].map { $0 >= priority } ?? false
            return sum + (isServed ? watts : max(0, watts))
        }
    }
}

extension HeatPumpDecision {
    /// What the device is told.
    var commands: [DeviceCommand] {
        var commands: [DeviceCommand] = []
        if let state { commands.append(isLock ? .lock : isRelease ? .release : .reduce(state)) }
        if let setpointCelsius { commands.append(.setSetpoint(celsius: setpointCelsius)) }
        if let offsetKelvin { commands.append(.shiftSetpoint(kelvin: offsetKelvin)) }
        if let surplusWatts { commands.append(.offerSurplus(watts: surplusWatts)) }
        switch powerLimit {
        case .watts(let watts)?: commands.append(.limitPower(watts: watts))
        case PowerLimit.none?: commands.append(.limitPower(watts: nil))
        case nil: break
        }
        return commands
    }
}

extension HeatPumpControl {
    /// What it is measured to draw of the own surplus, and would leave to a car, in watts.
    ///
    /// What is not measured counts for nothing: a tank may be hot, and a car that trusts in its share would buy.
    func surplusDrawn(by device: DeviceState) -> Double {
        guard let hvac = device.capabilities.hvac, let watts = device.reading?.powerWatts else { return 0 }
        if hvac.drawsOnlySurplus { return min(surplus.offeredWatts, max(0, watts)) }
        return surplus.isBoosting ? max(0, watts) : 0
    }
}

extension TickInputs {
    /// Whether heating beside cars with a deadline would take what they may need: one has little time to spare, or draws
    /// and leaves no room for the heating on the fullest phase.
    func isConnectionShort(for cars: some Collection<ChargerControl>) -> Bool {
        guard let connection = venue.connection else { return false }
        let cars = cars.filter { $0.plug != .unplugged && $0.haste != nil }
        if cars.contains(where: { ($0.haste?.slackSeconds ?? .infinity) < Haste.fewSeconds }) { return true }
        guard cars.contains(where: { $0.lastAmps > 0 }), let grid else { return false }
        let used = ConnectionLimit.signedAmps(grid, phases: connection.phases).compactMap(\.self).max() ?? 0
        let own = max(0, device.reading?.powerWatts ?? 0) / 230
        let full = (device.capabilities.hvac?.fullPowerWatts ?? 3000) / 230
        return connection.amps - used + own < full
    }
}
