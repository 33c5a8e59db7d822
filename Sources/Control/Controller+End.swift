import Foundation
import HubKit

/// How control ends.
extension Controller {
    /// Leaves every device in a state that is safe without the hub, and decides nothing after that.
    ///
    /// Heat pumps run as usual, batteries follow the house, chargers draw no more than the connection bears unwatched.
    /// - Parameter deadline: real time that all devices together may take.
    package func release(within deadline: Duration) async {
        isReleased = true
        await saveChanges()
        let (answers, answered) = AsyncStream.makeStream(of: Void.self)
        // Not children of a group: a device that hangs must not hold up the end beyond the deadline.
        let work = mailboxes.map { id, mailbox in
            let commands = lastCommands(for: id)
            return Task { [log] in
                do {
                    _ = try await mailbox.close(with: commands)
                } catch {
                    log.warning("\(id) could not be left in its safe state: \(plainWords(of: error))")
                }
                answered.yield()
            }
        }
        let timer = Task {
            try? await Task.sleep(for: deadline)
            answered.finish()
        }
        var left = work.count
        var iterator = answers.makeAsyncIterator()
        while left > 0, await iterator.next() != nil { left -= 1 }
        if left > 0 { log.warning("\(left) devices did not answer in time and are left as they are") }
        timer.cancel()
        for task in work { task.cancel() }
    }

    private func lastCommands(for id: DeviceID) -> [DeviceCommand] {
        guard let device = board[id], device.reading != nil else { return [] }
        // Tried also where it was lost a moment ago: nobody else would end its reduction.
        if let control = heatPumps[id] { return lastCommands(of: control, device) }
        if let battery = batteries[id] {
            // One that was never told anything may be looked after by another program.
            return battery.lastOrder == nil || battery.lastOrder == .automatic ? [] : [.battery(.automatic)]
        }
        guard device.health.state != .offline, let control = chargers[id],
            let range = device.capabilities.charger?.currentLimit, let safe = unwatchedAmps(device)
        else { return [] }
        let offered = max(control.lastAmps, device.reading?[.limitAmps] ?? 0)
        return offered > safe ? [.limitCurrent(amps: range.settable(safe))] : []
    }

    /// Its own load state and setpoint, no surplus and no limit: nobody else would end them.
    private func lastCommands(of control: HeatPumpControl, _ device: DeviceState) -> [DeviceCommand] {
        guard let hvac = device.capabilities.hvac else { return [] }
        var commands: [DeviceCommand] = hvac.reduce.isEmpty ? [] : [.release]
        if hvac.offsetKelvin != nil {
            commands.append(.shiftSetpoint(kelvin: 0))
        } else if hvac.reduce.isEmpty, let celsius = control.setpointToRestore {
            commands.append(.setSetpoint(celsius: celsius))
        }
        if hvac.surplusWatts != nil { commands.append(.offerSurplus(watts: 0)) }
        if control.hasLimit { commands.append(.limitPower(watts: nil)) }
        return commands
    }

    /// The current that a charger may draw with nobody watching, in amps; absent where nothing limits it.
    private func unwatchedAmps(_ device: DeviceState) -> Double? {
        let venue = device.configuration.venueID, circuit = device.configuration.circuit
        let sharers = chargers.keys.compactMap { board[$0]?.configuration }.filter { $0.venueID == venue }
        var most: [Double] = []
        if let fuse = venues[venue]?.connection?.amps {
            most.append(fuse * ConnectionLimit.failSafeShare / Double(max(1, sharers.count)))
        }
        if let circuit, let amps = settings.circuitAmps[circuit] {
            most.append(amps / Double(max(1, sharers.filter { $0.circuit == circuit }.count)))
        }
        if let watts = allowedPower(at: venue, clock.now).watts {
            let phases = Double(device.capabilities.charger?.phases.max() ?? 3)
            most.append(watts / 230 / phases / Double(max(1, sharers.count)))
        }
        return most.min()
    }
}
