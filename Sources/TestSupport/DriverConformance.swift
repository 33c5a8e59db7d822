package import HubKit
package import Modbus

/// What the hub relies on in every driver, checked from the outside: the first test of a driver is one line.
///
///     #expect(await DriverConformance(driver, configuration, server: charger.server).breaches() == [])
///
/// The configuration is a good one for a device that answers.
package struct DriverConformance: Sendable {
    let driver: any DeviceDriver
    let configuration: DeviceConfiguration
    let profiles: ProfileLibrary
    let server: ModbusServer?

    /// Prepares the checks.
    /// - Parameters:
    ///   - driver: the driver.
    ///   - configuration: of a device that answers.
    ///   - profiles: the profiles it may know.
    ///   - server: the virtual device behind the configuration, to count its requests; `nil` for a driver without Modbus.
    package init(
        _ driver: any DeviceDriver, _ configuration: DeviceConfiguration, profiles: ProfileLibrary = .shipped,
        server: ModbusServer? = nil
    ) {
        self.driver = driver
        self.configuration = configuration
        self.profiles = profiles
        self.server = server
    }

    /// Runs every check.
    /// - Returns: what is not as it should be, a sentence each.
    package func breaches() async -> [String] {
        var found = checkName()
        found += await checkMaking()
        found += checkWrongConfigurations()
        if configuration.connection != .none { found += await checkDeadAddress() }
        found += await checkRun()
        found += await checkCommands()
        found += await checkInspection()
        return found
    }

    /// A device of a configuration, with a clock that stands still.
    func make(_ configuration: DeviceConfiguration, _ clock: ManualClock) throws -> any Device {
        try driver.makeDevice(configuration, in: .forTests(clock: clock, profiles: profiles))
    }

    private func checkName() -> [String] {
        var found: [String] = []
        var registry = DriverRegistry()
        do throws(HubError) { try registry.register(driver) } catch { found.append("its name is refused: \(error)") }
        if driver.summary.isEmpty { found.append("its summary is empty") }
        return found
    }

    private func checkMaking() async -> [String] {
        let before = server?.requestCount ?? 0
        let connections = server?.connectionCount ?? 0
        do {
            let device = try make(configuration, ManualClock())
            _ = device.capabilities
        } catch {
            return ["a good configuration is refused: \(error)"]
        }
        let isQuiet = server?.requestCount ?? 0 == before && server?.connectionCount ?? 0 == connections
        return isQuiet ? [] : ["making a device speaks to it"]
    }

    private func checkWrongConfigurations() -> [String] {
        guard configuration.profile != nil else { return [] }
        var noProfile = configuration
        noProfile.profile = nil
        var unknownProfile = configuration
        unknownProfile.profile = "no-such-profile"
        var foreignProfile = configuration
        foreignProfile.profile = profiles.all.first { $0.kind != driver.kind }?.name
        var noConnection = configuration
        noConnection.connection = .none
        let wrong = [
            ("no profile", noProfile), ("an unknown profile", unknownProfile),
            ("a profile of another kind", foreignProfile), ("no connection", noConnection),
        ]
        return wrong.compactMap { what, configuration in
            do {
                _ = try make(configuration, ManualClock())
                return "\(what) is accepted"
            } catch let error as HubError {
                let saysRemedy = error.message.contains("; ")
                return saysRemedy ? nil : "the error for \(what) names no remedy: \(error)"
            } catch {
                return "\(what) gives another error than HubError: \(error)"
            }
        }
    }

    private func checkDeadAddress() async -> [String] {
        guard let port = try? LoopbackPort.free() else { return ["there is no free port"] }
        var dead = configuration
        switch configuration.connection {
        case .mqtt(var topic):
            (topic.host, topic.port) = ("127.0.0.1", UInt16(port))
            dead.connection = .mqtt(topic)
        case .http(var address):
            address.base = "http://127.0.0.1:\(port)"
            dead.connection = .http(address)
        case .modbusTCP, .modbusRTU, .ocpp, .none:
            dead.connection = .modbusTCP(host: "127.0.0.1", port: UInt16(port), unit: nil)
        }
        let clock = ManualClock()
        guard let device = try? make(dead, clock) else { return ["a dead address is refused before it is tried"] }
        let running = RunningDevice(device, dead, kind: driver.kind, clock: clock)
        let isOffline = await ended(within: .seconds(20)) { await running.wait { $0.health.state == .offline } }
        var found = isOffline ? [] : ["a dead address does not end as offline"]
        if isOffline, running.health?.reason?.isEmpty ?? true { found.append("an offline device gives no reason") }
        return found + (await checkEnd(of: running))
    }

    private func checkRun() async -> [String] {
        let clock = ManualClock()
        guard let device = try? make(configuration, clock) else { return [] }
        let running = RunningDevice(device, configuration, kind: driver.kind, clock: clock)
        let hasRead = await ended(within: .seconds(20)) {
            await running.wait { $0.reading != nil && $0.health.state != .starting }
        }
        var found = hasRead ? [] : ["it reports no reading with its health"]
        if hasRead, running.health?.state != .ok {
            found.append("a device that answers is not well: \(running.health?.reason ?? "no reason")")
        }
        return found + (await checkEnd(of: running))
    }

    private func checkEnd(of running: RunningDevice) async -> [String] {
        await ended(within: .seconds(10)) { await running.stop() } ? [] : ["run does not end when it is cancelled"]
    }

    private func checkInspection() async -> [String] {
        guard let device = try? make(configuration, ManualClock()) else { return [] }
        do {
            let points = try await device.inspect()
            let profile = configuration.profile.flatMap { profiles[$0] }
            let wanted = (profile?.points.map(\.name) ?? []) + (profile?.fieldPoints.map(\.template.name) ?? [])
            let missing = wanted.filter { name in !points.contains { $0.name == name } }
            var found = missing.map { "inspect leaves out \($0)" }
            found += points.filter { $0.raw.isEmpty || $0.place.isEmpty }.map {
                "inspect says nothing raw of \($0.name)"
            }
            return found
        } catch {
            return ["inspect fails: \(error)"]
        }
    }

    /// Whether `work` ended in time; it is cancelled otherwise.
    private func ended(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await work()
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            let isDone = await group.next() ?? false
            group.cancelAll()
            return isDone
        }
    }
}
