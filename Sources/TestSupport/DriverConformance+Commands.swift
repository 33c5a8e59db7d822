import HubKit
import Modbus

extension DriverConformance {
    func checkCommands() async -> [String] {
        guard let device = try? make(configuration, ManualClock()) else { return [] }
        var found: [String] = []
        for command in unknownCommands(of: device.capabilities) { found += await checkRefusal(of: command, by: device) }
        for command in knownCommands(of: device.capabilities) { found += await checkRepeat(of: command, by: device) }
        return found
    }

    private func checkRefusal(of command: DeviceCommand, by device: any Device) async -> [String] {
        let before = server?.requestCount ?? 0
        do {
            let receipt = try await device.perform(command)
            guard case .refused(let reason) = receipt.outcome else {
                return ["\(command) is not refused although its capabilities lack it: \(receipt.outcome)"]
            }
            var found = reason.isEmpty ? ["\(command) is refused without a reason"] : []
            if receipt.command.slot != command.slot {
                found.append("the receipt for \(command) is one for \(receipt.command)")
            }
            if server?.requestCount ?? 0 != before { found.append("\(command) is refused after it was sent") }
            return found
        } catch {
            return ["\(command) throws instead of being refused: \(error)"]
        }
    }

    private func checkRepeat(of command: DeviceCommand, by device: any Device) async -> [String] {
        do {
            let first = try await device.perform(command).outcome
            guard first == .applied || first == .unchanged else { return ["\(command) gives \(first)"] }
            let before = server?.requestCount ?? 0
            let second = try await device.perform(command).outcome
            var found = second == .unchanged ? [] : ["a repeat of \(command) gives \(second)"]
            if server?.requestCount ?? 0 != before { found.append("a repeat of \(command) is sent to the device") }
            return found
        } catch {
            return ["\(command) fails: \(error)"]
        }
    }

    /// One command of each sort that the device does not declare.
    private func unknownCommands(of capabilities: DeviceCapabilities) -> [DeviceCommand] {
        var commands: [DeviceCommand] = []
        if let range = capabilities.charger?.currentLimit {
            commands += [
                .limitCurrent(amps: -1), .limitCurrent(amps: .nan), .limitCurrent(amps: range.minimumAmps / 2),
            ]
        } else {
            commands.append(.limitCurrent(amps: 16))
        }
        commands += (1...4).filter { capabilities.charger?.phases.contains($0) != true }.map { .usePhases($0) }
        if let range = capabilities.hvac?.setpointCelsius {
            commands += [.setSetpoint(celsius: range.upperBound + 1), .setSetpoint(celsius: .nan)]
        } else {
            commands.append(.setSetpoint(celsius: 21))
        }
        let states = capabilities.hvac?.reduce ?? []
        let unknown =
            states.isEmpty ? ReduceState.allCases : [.reduced, .boosted, .forced].filter { !states.contains($0) }
        commands += unknownOrders(of: capabilities.hvac)
        if capabilities.battery == nil { commands += [.battery(.automatic), .battery(.hold)] }
        commands.append(.battery(.charge(watts: .nan)))
        return commands + unknown.map { .reduce($0) } + (states.isEmpty ? [.release] : [])
            + (states.contains(.reduced) ? [] : [.lock])
    }

    /// One command of each sort that the device declares.
    private func knownCommands(of capabilities: DeviceCapabilities) -> [DeviceCommand] {
        var commands: [DeviceCommand] = []
        if let range = capabilities.charger?.currentLimit {
            commands += [.limitCurrent(amps: range.maximumAmps), .limitCurrent(amps: 0)]
        }
        if let range = capabilities.hvac?.setpointCelsius { commands.append(.setSetpoint(celsius: range.upperBound)) }
        if let battery = capabilities.battery {
            if battery.charge { commands.append(.battery(.charge(watts: 1500))) }
            if battery.hold { commands.append(.battery(.hold)) }
            commands.append(.battery(.automatic))
        }
        if let state = capabilities.hvac?.reduce.first { commands += [.reduce(.normal), .reduce(state), .release] }
        return commands + knownOrders(of: capabilities.hvac)
    }

    /// What a device that is not offered surplus, limited or shifted has to refuse, and what is beyond one that is.
    private func unknownOrders(of hvac: HVACCapabilities?) -> [DeviceCommand] {
        [
            .offerSurplus(watts: hvac?.surplusWatts.map { $0.upperBound + 1 } ?? 0), .offerSurplus(watts: .nan),
            .limitPower(watts: hvac?.powerLimitWatts.map { $0.upperBound + 1 }), .limitPower(watts: .nan),
            .shiftSetpoint(kelvin: hvac?.offsetKelvin.map { $0.upperBound + 1 } ?? 0), .shiftSetpoint(kelvin: .nan),
        ]
    }

    private func knownOrders(of hvac: HVACCapabilities?) -> [DeviceCommand] {
        var orders: [DeviceCommand] = []
        if let range = hvac?.surplusWatts {
            orders += [.offerSurplus(watts: range.upperBound), .offerSurplus(watts: 0)]
        }
        if let range = hvac?.powerLimitWatts {
            orders += [.limitPower(watts: range.upperBound), .limitPower(watts: nil)]
        }
        if let range = hvac?.offsetKelvin {
            orders += [.shiftSetpoint(kelvin: range.upperBound), .shiftSetpoint(kelvin: 0)]
        }
        return orders
    }
}
