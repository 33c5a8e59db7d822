import Foundation
import HubKit

/// Heating and cooling: what they do, and what they leave to the rest of the home.
extension Controller {
    func decideHeatPump(_ id: DeviceID, _ now: Date) {
        guard var inputs = inputs(id, now), var control = heatPumps[id] else { return }
        let beside = besideBatteries[inputs.venue.id] ?? ChargersBeside()
        inputs.pendingWatts = beside.pendingWatts + pendingHeat(in: inputs.venue.id, beside: id, at: now)
        inputs.carsHurry = inputs.venue.connection != nil && chargers.contains { charger in
            board[charger.key]?.configuration.venueID == inputs.venue.id && charger.value.hurries
        }
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
            pump.key == id || board[pump.key]?.configuration.venueID != venue
                ? sum : sum + pump.value.surplus.pendingWatts(at: now)
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

    /// What chargers have to know of heating.
    func noteHeating(_ inputs: inout TickInputs) {
        let venue = inputs.venue.id
        inputs.heatingWatts = heatingShares[venue]?.drawnWatts ?? 0
        guard inputs.device.kind == .ev else { return }
        inputs.yieldedWatts = heatPumps.reduce(0) { sum, pump in
            guard let device = board[pump.key], device.configuration.venueID == venue else { return sum }
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
        if let state { commands.append(isRelease ? .release : .reduce(state)) }
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
    /// What it draws of the own surplus and would leave to a car, in watts.
    func surplusDrawn(by device: DeviceState) -> Double {
        guard let hvac = device.capabilities.hvac else { return 0 }
        let measured = device.reading?.powerWatts.map { max(0, $0) }
        if hvac.drawsOnlySurplus { return min(surplus.offeredWatts, measured ?? surplus.offeredWatts) }
        return surplus.isBoosting ? measured ?? hvac.fullPowerWatts ?? 0 : 0
    }
}

extension ChargerControl {
    /// Whether its deadline leaves little time to spare.
    var hurries: Bool { plug != .unplugged && haste.map { $0.slackSeconds < Haste.fewSeconds } ?? false }
}
