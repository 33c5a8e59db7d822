import Foundation
import HubKit

/// Heating and cooling: what they do, and what they leave to the rest of the home.
extension Controller {
    func decideHeatPump(_ id: DeviceID, _ now: Date) {
        guard var inputs = inputs(id, now), var control = heatPumps[id] else { return }
        let home = inputs.venue.id
        let beside = besideBatteries[home] ?? ChargersBeside()
        inputs.pendingWatts = beside.pendingWatts + (homes[home]?.pendingWatts(beside: id) ?? 0)
        inputs.carsHurry = inputs.isConnectionShort(beside)
        inputs.heatingShare = heatingShares[home]?.shares[id]
        inputs.limitLeftWatts = inputs.limits.externalWatts.map {
            max(0, $0 - (heatingShares[home]?.reservedWatts ?? 0) - beside.drawnWatts - beside.pendingWatts)
        }
        let decision = control.decide(inputs)
        heatPumps[id] = control
        homes[home]?.note(inputs.device, control, at: now)
        publish(id, use: control.use, plan: control.plan, decision.reason, decision.guidance, nil)
        for command in decision.commands { mailboxes[id]?.post(command) }
    }

    /// Looks at the board once for all devices of the tick.
    func noteHomes(_ now: Date) {
        homes.removeAll(keepingCapacity: true)
        for device in board.all where device.kind == .hvac || device.configuration.role == .battery {
            homes[device.configuration.venueID, default: HomeInTick()]
                .add(device, heatPumps[device.configuration.id], at: now)
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
            heatingShares[venue.id] = HeatingShares(
                homes[venue.id]?.pumps ?? [], limits, seen: heatPumps.compactMapValues(\.mostWatts))
        }
    }

    /// What a device has to know of its home's batteries and heating: a car comes before all of it, a heat pump before
    /// heating rods.
    func noteHome(_ inputs: inout TickInputs) {
        inputs.heatingWatts = heatingShares[inputs.venue.id]?.drawnWatts ?? 0
        guard let home = homes[inputs.venue.id] else { return }
        inputs.batteryWatts = home.batteryWatts(
            within: clock.tolerance(seconds: settings.meterStaleSeconds), at: inputs.now)
        if inputs.device.kind == .ev {
            inputs.yieldedWatts = home.rodWatts + home.boostWatts
        } else if inputs.device.capabilities.hvac?.drawsOnlySurplus == false {
            inputs.yieldedWatts = home.rodWatts
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
    func isConnectionShort(_ cars: ChargersBeside) -> Bool {
        guard let connection = venue.connection else { return false }
        if cars.leastSlackSeconds < Haste.fewSeconds { return true }
        guard cars.isHeadingForDeadline, let grid else { return false }
        let used = ConnectionLimit.signedAmps(grid, phases: connection.phases).compactMap(\.self).max() ?? 0
        let own = max(0, device.reading?.powerWatts ?? 0) / 230
        let full = (device.capabilities.hvac?.fullPowerWatts ?? 3000) / 230
        return connection.amps - used + own < full
    }
}
