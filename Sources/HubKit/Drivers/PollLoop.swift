import Foundation

/// The poll loop that polled drivers share: readings at a steady pace, health from what was missed, backoff when a
/// device is away, and one log line for each change of state.
///
/// One missed answer is not "offline" (field case D-7): it takes three in a row. An absent device is tried again after
/// 1 s at first and at least every 30 s.
public struct PollLoop: Sendable {
    /// Clock seconds between the starts of two readings.
    public var intervalSeconds: Double
    /// Whose time that is.
    public var clock: any HubClock
    /// Where changes of health are said.
    public var log: HubLog

    /// Makes a loop.
    public init(intervalSeconds: Double, clock: any HubClock, log: HubLog) {
        self.intervalSeconds = intervalSeconds
        self.clock = clock
        self.log = log
    }

    /// What one poll brought.
    public struct Result: Sendable {
        /// The reading.
        public var reading: DeviceReading
        /// What is not as it should be although the device answered, such as a register it refuses.
        public var complaint: String?

        /// Makes a result.
        public init(_ reading: DeviceReading, complaint: String? = nil) {
            self.reading = reading
            self.complaint = complaint
        }
    }

    /// Polls until the task is cancelled.
    /// - Parameters:
    ///   - reporter: where readings and health go.
    ///   - poll: reads the device once.
    public func run(_ reporter: DeviceReporter, poll: @Sendable () async throws -> Result) async {
        var teller = HealthTeller(clock: clock, log: log)
        var failures = 0
        while !Task.isCancelled {
            let began = clock.now
            do {
                let result = try await poll()
                failures = 0
                reporter.report(result.reading)
                teller.tell(result.complaint == nil ? .ok : .degraded, result.complaint, to: reporter)
            } catch {
                // Whatever a poll throws while it is being ended says nothing of the device.
                if Task.isCancelled || error is CancellationError { return }
                failures += 1
                let before = teller.health.state
                let isAway = failures >= 3 || before == .starting || before == .offline
                teller.tell(isAway ? .offline : .degraded, plainWords(of: error), to: reporter)
            }
            let pause = failures == 0 ? intervalSeconds : retrySeconds(failures)
            // From the start of this reading, so that a slow device keeps its pace; never in a burst.
            let next = max(
                began.addingTimeInterval(pause), clock.now.addingTimeInterval(min(pause, 0.01 * clock.speed)))
            guard (try? await clock.sleep(until: next)) != nil else { return }
        }
    }

    /// Real seconds, whatever the clock's speed: the network does not run faster in a demo.
    private func retrySeconds(_ failures: Int) -> Double {
        let ceiling = min(30, Double(1 << min(failures - 1, 5)))
        return ceiling * Double.random(in: 0.7...1) * clock.speed
    }
}
