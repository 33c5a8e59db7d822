public import Foundation

/// The only source of time in the hub: wall time for records, and waiting.
///
/// Every service takes one, so that tests step time by hand and the demo runs a day in minutes. Nothing else in the
/// project asks the system for the time.
public protocol HubClock: Sendable {
    /// The present moment, as the home's clock on the wall would show it.
    var now: Date { get }

    /// Clock seconds that pass in one real second: 1 for the system's clock.
    var speed: Double { get }

    /// Waits until the clock shows `deadline`; returns at once when that is past.
    ///
    /// A clock that is set back meanwhile leaves nobody waiting: when as much time has passed as there was to wait, this
    /// returns, and the caller looks at the clock again.
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    func sleep(until deadline: Date) async throws
}

extension HubClock {
    /// Waits for `seconds` of this clock's time.
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    public func sleep(seconds: Double) async throws {
        try await sleep(until: now.addingTimeInterval(seconds))
    }

    /// Whether the clock can be right: a machine without a battery for its clock starts in 1970, or where it was switched
    /// off, until the network tells it the time.
    ///
    /// A clock that a demo or a test runs is right by definition.
    public var isBelievable: Bool {
        !(self is SystemClock) || now >= Date(timeIntervalSince1970: 1_735_689_600)
    }

    /// The longest age at which a value still counts, given the age a device's owner allows.
    ///
    /// On a clock that runs fast, a process that the machine held up for a second would otherwise call every device
    /// dead: at least three real seconds are always allowed.
    /// - Parameter seconds: the allowed age in clock seconds.
    public func tolerance(seconds: Double) -> Double {
        max(seconds, speed > 1 ? 3 * speed : seconds)
    }
}

/// The system's clock.
public struct SystemClock: HubClock {
    private let wall: @Sendable () -> Date

    /// Makes the system's clock.
    public init() {
        wall = { Date() }
    }

    /// Makes a clock that asks for the time elsewhere, to try what happens when the system's is set.
    package init(wall: @escaping @Sendable () -> Date) {
        self.wall = wall
    }

    /// The system's time.
    public var now: Date { wall().roundedToMilliseconds }
    /// Always 1.
    public var speed: Double { 1 }

    /// Waits until the system's time is `deadline`, or as long as it was away when this was called.
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    public func sleep(until deadline: Date) async throws {
        let began = ContinuousClock.now
        let whole = deadline.timeIntervalSince(wall())
        // Short steps, because the wall clock may be set forward while we wait and the monotonic one is not.
        while true {
            let passed = (ContinuousClock.now - began).inSeconds
            let left = min(deadline.timeIntervalSince(wall()), whole - passed)
            guard left > 0 else { return try Task.checkCancellation() }
            try await Task.sleep(for: .seconds(min(left, 10)))
        }
    }
}

/// A clock that starts at a chosen moment and runs faster or slower than the real one.
public struct ScaledClock: HubClock {
    private let start: Date
    private let reference: ContinuousClock.Instant
    /// Clock seconds that pass in one real second.
    public let speed: Double

    /// Makes a clock that shows `start` now.
    /// - Parameters:
    ///   - start: what the clock shows at the moment of this call.
    ///   - speed: clock seconds for each real second; must be above 0.
    public init(start: Date, speed: Double) {
        precondition(speed > 0 && speed.isFinite, "a clock's speed is a number above 0")
        self.start = start
        self.speed = speed
        reference = ContinuousClock.now
    }

    /// The start, and the real time since then at this clock's speed.
    public var now: Date {
        let elapsed = ContinuousClock.now - reference
        return start.addingTimeInterval(elapsed.inSeconds * speed).roundedToMilliseconds
    }

    /// Waits until this clock shows `deadline`.
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    public func sleep(until deadline: Date) async throws {
        let left = deadline.timeIntervalSince(now) / speed
        guard left > 0 else { return try Task.checkCancellation() }
        try await Task.sleep(for: .seconds(left))
    }
}

extension Duration {
    /// The duration as a number of seconds.
    public var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension Date {
    /// The nearest whole millisecond: finer than anything a home measures, and short when written.
    fileprivate var roundedToMilliseconds: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
