import Foundation
package import HubKit

/// Everything a person can ask of a device; CLI, HTTP, MQTT and the page all call these.
extension Controller {
    /// Changes how a device is used; on disk when it returns.
    /// - Throws: `HubError` that says which modes the device knows.
    package func setMode(_ mode: DeviceMode, for id: DeviceID) async throws {
        if heatPumps[id] != nil {
            guard mode != .solar || board[id]?.capabilities.hvac?.canTakeMore == true else {
                throw HubError(.refused, "\(id) can't be asked to take more; its modes are off, now and guided")
            }
        } else if batteries[id] != nil {
            guard mode != .solar else {
                throw HubError(.refused, "\(id) takes what the sun leaves by itself; its modes are off, now and guided")
            }
        } else if chargers[id] == nil {
            throw unknown(id)
        }
        try await change(id) { $0.mode = mode }
        log.notice("\(id): mode \(mode.rawValue)")
    }

    /// Sets what a device is to reach, or clears it; on disk when it returns.
    /// - Throws: `HubError` that says what is wrong with the goal.
    package func setGoal(_ goal: DeviceGoal?, for id: DeviceID) async throws {
        switch goal {
        case .charge(let goal):
            guard let control = chargers[id] else { throw mismatch(id, "a charging goal") }
            try check(goal, for: id)
            var stored = DeviceUse.StoredGoal(goal)
            stored.baselineWattHours = control.countedWattHours ?? board[id]?.reading?[.importWattHours]
            try await change(id) { $0.charging = stored }
        case .comfort(let goal):
            guard heatPumps[id] != nil else { throw mismatch(id, "a comfort goal") }
            try check(goal, for: id)
            try await change(id) { $0.comfort = goal }
        case nil:
            guard batteries[id] == nil else { throw mismatch(id, "a goal") }
            guard chargers[id] != nil || heatPumps[id] != nil else { throw unknown(id) }
            try await change(id) { use in
                use.charging = nil
                use.comfort = nil
            }
        }
        log.notice("\(id): \(goal == nil ? "the goal was cleared" : "a new goal was set")")
    }

    /// Sets the price at or below which a charger charges at once, or clears it; on disk when it returns.
    /// - Throws: `HubError` that says what is wrong with the limit.
    package func setLimit(_ limit: PriceLimit?, for id: DeviceID) async throws {
        guard chargers[id] != nil else {
            throw heatPumps[id] == nil && batteries[id] == nil
                ? unknown(id) : mismatch(id, "a price limit; only chargers do")
        }
        if let price = limit?.pricePerKWh {
            guard PriceLimit.range.contains(price) else {
                throw HubError(
                    .refused,
                    "pricePerKWh is money for each kilowatt-hour, from -10,000 to 10,000, not \(price); DELETE clears it"
                )
            }
        }
        try await change(id) { $0.limit = limit }
        log.notice(
            "\(id): \(limit.map { "charges at once at \($0.pricePerKWh) per kWh or less" } ?? "the price limit was cleared")"
        )
    }

    func check(_ goal: ChargingGoal, for id: DeviceID) throws {
        switch goal.amount {
        case .energy(let wattHours):
            guard wattHours.isFinite, (0...1_000_000).contains(wattHours) else {
                throw HubError(.refused, "energyWattHours is from 0 to 1,000,000, not \(wattHours)")
            }
            // What is lost on the way is known roughly.
            if let vehicle = board[id]?.configuration.vehicle, let capacity = vehicle.capacityWattHours,
                wattHours * vehicle.efficiency > capacity * 1.05
            {
                let most = (capacity / vehicle.efficiency).rounded()
                throw HubError(
                    .refused,
                    "the car at \(id) holds \(capacity) Wh, which takes \(most) Wh at the meter; \(wattHours) Wh don't go in"
                )
            }
        case .stateOfCharge(let percent):
            guard percent.isFinite, (0...100).contains(percent) else {
                throw HubError(.refused, "stateOfCharge is from 0 to 100 percent, not \(percent)")
            }
            guard board[id]?.configuration.vehicle?.capacityWattHours != nil else {
                throw HubError(
                    .refused,
                    "a goal in percent needs the car's capacity; add vehicle: {capacity_kwh: 58} to \(id), or give energyWattHours"
                )
            }
        }
        let now = clock.now
        guard goal.readyBy > now, goal.readyBy < now.addingTimeInterval(14 * 86_400) else {
            throw HubError(.refused, "readyBy is in the next 14 days; the hub's clock shows \(now.formatted(.iso8601))")
        }
        if let amps = goal.minimumAmps {
            guard let range = board[id]?.capabilities.charger?.currentLimit else {
                throw HubError(.refused, "\(id) can't be set to a current; leave minimumAmps out")
            }
            guard amps.isFinite, (range.minimumAmps...range.maximumAmps).contains(amps) else {
                throw HubError(
                    .refused,
                    "minimumAmps is from \(range.minimumAmps) to \(range.maximumAmps) A for \(id), not \(amps)")
            }
        }
    }

    private func check(_ goal: ComfortGoal, for id: DeviceID) throws {
        if let hvac = board[id]?.capabilities.hvac, hvac.drawsOnlySurplus, !hvac.temperatures.contains(.room) {
            throw HubError(.refused, "\(id) heats no room that it knows of, and takes no comfort goal")
        }
        guard goal.setpointCelsius.isFinite, (5...35).contains(goal.setpointCelsius) else {
            throw HubError(.refused, "setpointCelsius is from 5 to 35 °C, not \(goal.setpointCelsius)")
        }
        if let range = board[id]?.capabilities.hvac?.setpointCelsius, !range.contains(goal.setpointCelsius) {
            throw HubError(
                .refused,
                "setpointCelsius is from \(range.lowerBound) to \(range.upperBound) °C for \(id), not \(goal.setpointCelsius)"
            )
        }
        guard goal.comfortBandKelvin.isFinite, (0...5).contains(goal.comfortBandKelvin) else {
            throw HubError(.refused, "comfortBandKelvin is from 0 to 5 K, not \(goal.comfortBandKelvin)")
        }
    }

    private func unknown(_ id: DeviceID) -> HubError {
        board[id] == nil
            ? HubError(.notFound, "there is no device '\(id)'")
            : HubError(.refused, "\(id) is a meter or is disabled; it has neither mode nor goal nor limit")
    }

    private func mismatch(_ id: DeviceID, _ what: String) -> HubError {
        board[id] == nil ? unknown(id) : HubError(.refused, "\(id) does not take \(what)")
    }
}
