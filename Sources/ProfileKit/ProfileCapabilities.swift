package import HubKit

extension DeviceProfile {
    /// What a device of this profile can tell and do, limited by what the person configured.
    package func capabilities(_ limits: DeviceLimits) -> DeviceCapabilities {
        let quantities = quantities
        let phaseCurrents: [Quantity] = [.currentL1Amps, .currentL2Amps, .currentL3Amps]
        var capabilities = DeviceCapabilities()
        capabilities.meter = MeterCapabilities(
            power: quantities.contains(.powerWatts), importEnergy: quantities.contains(.importWattHours),
            exportEnergy: quantities.contains(.exportWattHours),
            phases: phaseCurrents.filter { quantities.contains($0) }.count)
        if let charger { capabilities.charger = chargerCapabilities(charger, limits, quantities) }
        if let hvac { capabilities.hvac = hvacCapabilities(hvac, limits, quantities) }
        let (holds, charges) = (commands[.batteryHold] != nil, commands[.batteryCharge] != nil)
        if battery != nil, commands[.batteryAutomatic] != nil, holds || charges {
            capabilities.battery = BatteryCapabilities(hold: holds, charge: charges)
        }
        return capabilities
    }

    private func chargerCapabilities(
        _ charger: ProfileCharger, _ limits: DeviceLimits, _ quantities: Set<Quantity>
    ) -> ChargerCapabilities {
        var range = charger.current
        range.minimumAmps = max(range.minimumAmps, limits.minimumAmps ?? 0)
        range.maximumAmps = min(range.maximumAmps, limits.maximumAmps ?? .infinity)
        return ChargerCapabilities(
            plugState: !states.plug.isEmpty, chargingState: !states.charging.isEmpty,
            currentLimit: commands[.current] == nil ? nil : range,
            phases: limits.phases.map { [$0] } ?? charger.phases,
            stateOfCharge: quantities.contains(.stateOfChargePercent))
    }

    private func hvacCapabilities(
        _ hvac: ProfileHVAC, _ limits: DeviceLimits, _ quantities: Set<Quantity>
    ) -> HVACCapabilities {
        let temperatures: [(Quantity, HVACCapabilities.Temperature)] = [
            (.roomCelsius, .room), (.outdoorCelsius, .outdoor), (.flowCelsius, .flow), (.returnCelsius, .returnFlow),
            (.hotWaterCelsius, .hotWater),
        ]
        let reduce: [(ProfileCommand, ReduceState)] = [
            (.reduceReduced, .reduced), (.reduceBoosted, .boosted), (.reduceForced, .forced),
        ]
        let fullPower =
            limits.maximumWatts ?? hvac.fullPowerWatts ?? hvac.surplus.flatMap { $0.isAll ? $0.maximumWatts : nil }
        var capabilities = HVACCapabilities(
            stage: quantities.contains(.stagePercent) || (quantities.contains(.powerWatts) && fullPower != nil),
            mode: !states.mode.isEmpty,
            temperatures: temperatures.filter { quantities.contains($0.0) }.map(\.1),
            setpointCelsius: commands[.setpoint] == nil ? nil : hvac.setpointCelsius,
            reduce: commands[.reduceNormal] == nil ? [] : reduce.filter { commands[$0.0] != nil }.map(\.1))
        capabilities.fullPowerWatts = fullPower
        capabilities.powerLimitWatts = hvac.powerLimitWatts
        capabilities.offsetKelvin = hvac.offsetKelvin
        if let surplus = hvac.surplus, let most = limits.maximumWatts ?? surplus.maximumWatts ?? hvac.fullPowerWatts {
            capabilities.surplusWatts = 0...most
            capabilities.drawsOnlySurplus = surplus.isAll
        } else if !hvac.stagesPercent.isEmpty, let fullPower {
            capabilities.surplusWatts = 0...fullPower
            capabilities.drawsOnlySurplus = true
            capabilities.stagesPercent = hvac.stagesPercent
        }
        return capabilities
    }
}
