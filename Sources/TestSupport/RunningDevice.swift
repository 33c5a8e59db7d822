package import HubKit
import Modbus

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
    private let twin: VirtualDevice?

    /// Starts a device.
    /// - Parameters:
    ///   - device: what a driver made.
    ///   - configuration: from what it made it.
    ///   - kind: what it is to the house.
    ///   - clock: the clock it was given.
    ///   - sleepers: how many tasks of the device wait for the clock between two readings.
    ///   - twin: the virtual device behind it, kept alive as long as this one.
    package init(
        _ device: any Device, _ configuration: DeviceConfiguration, kind: DeviceKind, clock: ManualClock,
        sleepers: Int = 1, twin: VirtualDevice? = nil
    ) {
        self.device = device
        self.clock = clock
        self.sleepers = sleepers
        self.twin = twin
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

extension RunningDevice {
    /// Makes a device of a profile for a virtual twin, and starts it.
    /// - Parameters:
    ///   - driver: the driver.
    ///   - profile: the profile's name.
    ///   - twin: the virtual device; it lives as long as the running one.
    ///   - clock: the time.
    ///   - log: where lines go.
    ///   - configure: changes the configuration.
    package static func start(
        _ driver: any DeviceDriver, profile: String, twin: VirtualDevice, clock: ManualClock, log: HubLog = .silent,
        configure: (inout DeviceConfiguration) -> Void = { _ in }
    ) throws -> RunningDevice {
        try start(
            driver, profile: profile, port: twin.server.port, clock: clock, log: log, twin: twin, configure: configure)
    }

    /// Makes a device of a profile at a port of the loopback interface, and starts it.
    /// - Parameters:
    ///   - driver: the driver.
    ///   - profile: the profile's name.
    ///   - port: where a virtual device listens.
    ///   - clock: the time.
    ///   - log: where lines go.
    ///   - twin: what to keep alive.
    ///   - configure: changes the configuration.
    package static func start(
        _ driver: any DeviceDriver, profile: String, port: UInt16, clock: ManualClock, log: HubLog = .silent,
        twin: VirtualDevice? = nil, configure: (inout DeviceConfiguration) -> Void = { _ in }
    ) throws -> RunningDevice {
        var configuration = try DeviceConfiguration.forTests(driver.name, profile: profile, port: port)
        configure(&configuration)
        let context = DriverContext.forTests(clock: clock, log: log)
        let device = try driver.makeDevice(configuration, in: context)
        // A watchdog is fed by a task of its own.
        let feeds = context.profiles[profile]?.watchdog != nil && configuration.feedsWatchdog
        return RunningDevice(
            device, configuration, kind: driver.kind, clock: clock, sleepers: feeds ? 2 : 1, twin: twin)
    }
}
