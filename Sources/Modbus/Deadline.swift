import Glibc

/// A moment on the monotonic clock by which something must be done.
///
/// A blocking wait on the connection's own thread needs the machine's clock, not the hub's: simulated time must not
/// shorten a real device's time to answer.
struct Deadline: Comparable {
    /// Nanoseconds on `CLOCK_MONOTONIC`.
    let nanoseconds: Int64

    /// A deadline that long after this moment; less than zero counts as zero.
    init(after duration: Duration) {
        let (sum, overflowed) = Self.clock().addingReportingOverflow(max(0, duration.wholeNanoseconds))
        nanoseconds = overflowed ? .max : sum
    }

    /// What is left, never below zero.
    var remaining: Duration {
        .nanoseconds(max(0, nanoseconds - Self.clock()))
    }

    /// Whether the moment has come.
    var isPast: Bool {
        Self.clock() >= nanoseconds
    }

    /// What is left for `poll`, rounded up so that a wait never ends just before the deadline.
    var pollMilliseconds: Int32 {
        let left = max(0, nanoseconds - Self.clock())
        return Int32(clamping: (left / 1_000_000) + (left % 1_000_000 == 0 ? 0 : 1))
    }

    static func < (left: Deadline, right: Deadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    private static func clock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to what 64 bits hold (292 years).
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflowed else { return seconds < 0 ? .min : .max }
        let (sum, tooMuch) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooMuch ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration for `setsockopt` and the like; at least one microsecond, because zero there means "for ever".
    var timeValue: timeval {
        let microseconds = max(1, wholeNanoseconds / 1000)
        return timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
    }

    /// The duration in seconds with three decimals, as in "1.200 s".
    var inSeconds: String {
        let milliseconds = wholeNanoseconds / 1_000_000
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
    }
}

/// Blocks the calling thread until the deadline; only for threads that are there to block.
func blockThread(until deadline: Deadline) {
    var left = deadline.remaining.wholeNanoseconds
    while left > 0 {
        var request = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        nanosleep(&request, nil)
        left = deadline.remaining.wholeNanoseconds
    }
}
