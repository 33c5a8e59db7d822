import EnergyKit
import Foundation
import HubKit
import ThreadKit

/// Says in the log what was refused of whom, without a line for each try of a program that never learns.
final class RefusalLog: Sendable {
    private struct Known: Sendable {
        var last: [String: Date] = [:]
        var unsaid: [String: Int] = [:]
    }

    /// How long one program is not named again, in seconds.
    private static let quiet: TimeInterval = 10
    private static let mostPrograms = 256
    private let known = Locked(Known())
    private let clock: any HubClock

    init(clock: any HubClock) {
        self.clock = clock
    }

    /// Notes that a batch was refused.
    func note(_ invalid: InvalidLoadEvent, from program: String, _ log: HubLog) {
        let now = clock.now
        let unsaid = known.withLock { known -> Int? in
            if let last = known.last[program], abs(now.timeIntervalSince(last)) < Self.quiet {
                known.unsaid[program, default: 0] += 1
                return nil
            }
            if known.last.count >= Self.mostPrograms { known = Known() }
            known.last[program] = now
            return known.unsaid.removeValue(forKey: program) ?? 0
        }
        guard let unsaid else { return }
        let id = invalid.eventID.map { " (\($0.uuidString))" } ?? ""
        let more = unsaid > 0 ? "; \(unsaid) more of it were refused before" : ""
        log.notice("refused load events of \(program): \(invalid.description)\(id)\(more)")
    }
}
