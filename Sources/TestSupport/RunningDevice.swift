package import HubKit

/// A device whose `run` goes on in a task of its own, seen from the outside as the hub sees it: on a board.
package final class RunningDevice: Sendable {
    /// The device.
    package let device: any Device
    /// Where it reports.
    package let board = DeviceBoard()
    /// Its name on the board.
    package let id: DeviceID
    private let clock: ManualClock
    private let sleepers: Int
    private let task: Task<Void, Never>
    private let end: AsyncStream<Never>

    /// Starts a device.
    /// - Parameters:
    ///   - device: what a driver made.
    ///   - configuration: from what it made it.
    ///   - kind: what it is to the house.
    ///   - clock: the clock it was given.
    ///   - sleepers: how many tasks of the device wait for the clock between two readings.
    package init(
        _ device: any Device, _ configuration: DeviceConfiguration, kind: DeviceKind, clock: ManualClock,
        sleepers: Int = 1
    ) {
        self.device = device
        self.clock = clock
        self.sleepers = sleepers
        id = configuration.id
        let reporter = DeviceReporter(id: configuration.id, board: board)
        board.add(
            configuration, kind: kind, capabilities: device.capabilities,
            health: DeviceHealth(.starting, since: clock.now))
        let (end, ending) = AsyncStream.makeStream(of: Never.self)
        self.end = end
        task = Task {
            await device.run(reporter)
            ending.finish()
        }
    }

    deinit { task.cancel() }

    /// Returns when every task of the device waits for the clock, which is after its first reading.
    package func settle() async { await clock.waitForSleepers(sleepers) }

    /// Lets time pass; each reading on the way is complete before the clock moves on.
    package func pass(_ seconds: Double) async {
        await settle()
        await clock.advance(by: seconds, keeping: sleepers)
    }

    /// The last reading.
    package var reading: DeviceReading? { board[id]?.reading }

    /// How it is doing.
    package var health: DeviceHealth? { board[id]?.health }

    /// Carries out a command and gives what became of it.
    package func perform(_ command: DeviceCommand) async throws -> CommandReceipt.Outcome {
        try await device.perform(command).outcome
    }

    /// Returns as soon as the device's state on the board is as wanted, or the calling task is cancelled.
    package func wait(until isWanted: @Sendable (DeviceState) -> Bool) async {
        let changes = board.changes()
        if board[id].map(isWanted) == true { return }
        for await _ in changes where board[id].map(isWanted) == true { return }
    }

    /// Ends it and returns when it has ended, or the calling task is cancelled.
    package func stop() async {
        task.cancel()
        for await _ in end {}
    }
}
