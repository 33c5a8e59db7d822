import Foundation

/// Notices when the clock on the wall was set: it then moved by another span than really passed.
///
/// A machine without a battery for its clock starts hours or years behind and is set once it reaches the network; people
/// set clocks by hand; a daylight-saving change is none, since the hub's time is one of the whole world.
public struct ClockWatch: Sendable {
    /// How far the clock may drift between two looks, in seconds.
    public static let toleranceSeconds = 30.0

    private let clock: any HubClock
    private let steady: @Sendable () -> Duration
    private var lastWall: Date
    private var lastSteady: Duration

    /// Begins to watch.
    /// - Parameters:
    ///   - clock: the clock to watch.
    ///   - steady: real time since some moment, which nobody can set.
    public init(_ clock: any HubClock, steady: @escaping @Sendable () -> Duration = ClockWatch.sinceStart) {
        self.clock = clock
        self.steady = steady
        lastWall = clock.now
        lastSteady = steady()
    }

    /// Looks at the clock.
    /// - Returns: by how many seconds it was set since the last look, below 0 for back; nothing where it only ran on.
    public mutating func look() -> Double? {
        let (wall, passed) = (clock.now, steady())
        defer { (lastWall, lastSteady) = (wall, passed) }
        let set = wall.timeIntervalSince(lastWall) - (passed - lastSteady).inSeconds * clock.speed
        return abs(set) > ClockWatch.toleranceSeconds * clock.speed ? set : nil
    }

    private static let start = ContinuousClock.now

    /// Real time since the first look at it.
    public static let sinceStart: @Sendable () -> Duration = { ContinuousClock.now - start }
}
