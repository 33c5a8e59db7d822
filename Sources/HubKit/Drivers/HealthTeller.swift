/// Reports how a device is doing where that changed, and says each change of state in one line of the log.
package struct HealthTeller: Sendable {
    /// What was told last.
    package private(set) var health: DeviceHealth
    private let clock: any HubClock
    private let log: HubLog
    private var lines: LineBudget

    /// Nothing was told yet.
    package init(clock: any HubClock, log: HubLog) {
        self.clock = clock
        self.log = log
        health = DeviceHealth(.starting, since: clock.now)
        lines = LineBudget(windowSeconds: 3600 * max(1, clock.speed))
    }

    /// Tells how the device is doing now.
    /// - Parameters:
    ///   - state: the state.
    ///   - reason: why, where it is not well.
    ///   - reporter: where that goes.
    package mutating func tell(_ state: DeviceHealth.State, _ reason: String?, to reporter: DeviceReporter) {
        guard health.state != state || health.reason != reason else { return }
        let before = health.state
        health = DeviceHealth(state, since: before != state ? clock.now : health.since, reason: reason)
        reporter.report(health)
        guard before != state, let hint = lines.take(at: clock.now) else { return }
        switch state {
        case .ok: before == .starting ? log.info("answers") : log.notice("is well again" + hint)
        case .degraded: log.warning("is not well: \(reason ?? "unknown reason")" + hint)
        case .offline:
            log.warning("does not answer: \(reason ?? "unknown reason"); trying again until it does" + hint)
        case .starting, .disabled: break
        }
    }
}
