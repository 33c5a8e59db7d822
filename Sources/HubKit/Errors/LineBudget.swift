import Foundation

/// Keeps what comes and goes from filling the log: so many lines within a while, and then silence until it is over.
struct LineBudget: Sendable {
    /// Lines that may be said within one window.
    static let lines = 10
    /// How long a window is, in seconds of the hub's clock.
    let windowSeconds: Double
    private var windowBegan: Date?
    private var said = 0

    init(windowSeconds: Double) { self.windowSeconds = windowSeconds }

    /// Takes one line from the budget.
    /// - Returns: what to add to the line; nothing where it is not to be said.
    mutating func take(at now: Date) -> String? {
        if windowBegan.map({ abs(now.timeIntervalSince($0)) >= windowSeconds }) ?? true {
            windowBegan = now
            said = 0
        }
        said += 1
        guard said <= LineBudget.lines else { return nil }
        return said < LineBudget.lines ? "" : "; it comes and goes, what else it does within the hour is not told"
    }
}
