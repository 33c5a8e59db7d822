import Control
package import EnergyKit
import Foundation
package import Guidance
package import HubKit
import Insights
import LoadEvents
import OCPP
import Storage
import Systemd
import WebAPI
import WebServer

/// What the hub is started with beside its configuration.
package struct HubOptions: Sendable {
    /// Where the files that come with the hub are.
    package var share: Share
    /// The hub's time.
    package var clock: any HubClock
    /// Where it says what happens.
    package var log: HubLog
    /// Sources that take the place of the configured files, for the demo.
    package var price: (any SeriesProvider)?
    package var carbon: (any SeriesProvider)?
    /// The profiles, where they were read already.
    package var profiles: ProfileLibrary?

    /// Names the options.
    package init(share: Share, clock: any HubClock, log: HubLog) {
        self.share = share
        self.clock = clock
        self.log = log
    }
}

/// A hub that is put together and running: it only wires services, drivers and edges to each other.
package actor HubRuntime {
    private let configuration: HubConfiguration
    private let options: HubOptions
    private let services: HubServices
    private let recorder: SessionRecorder
    private let monthMeter: MonthMeter
    private let devices: [(id: DeviceID, device: any Device)]
    private let web: WebEdge
    private let bridge: BridgeEdge?
    private var tasks: [Task<Void, Never>] = []

    /// Puts a hub together and starts it.
    /// - Parameter configuration: one that `ConfigurationCheck` found usable, or one made by the program.
    /// - Throws: `ConfigurationFaults` before anything is written; `HubError` when the data folder can't be used.
    package init(_ configuration: HubConfiguration, options: HubOptions) async throws {
        let startup = Startup(configuration: configuration, options: options)
        let profiles = try startup.checked()
        let store = try await HubStore(folder: configuration.dataFolder, clock: options.clock, log: options.log)
        let venues = try await startup.venues(store)
        for name in try await store.venuesBeside(venues.all.map(\.id)) {
            options.log.labelled("venues").notice(
                "the home '\(name)' of before is not configured any more; if it only got another name, give the new one its id"
            )
        }
        let bridge = try configuration.mqtt.map { try BridgeEdge($0, log: options.log) }
        self.bridge = bridge
        let setup = GuidanceSetup(
            configuration: configuration, options: options, store: store,
            topics: bridge.map { BrokerTopics(client: $0.client) })
        let (guidedVenues, sources) = try setup.make(venues)
        let board = DeviceBoard()
        let month = MonthMeter(board: board, venues: venues, store: store, clock: options.clock, log: options.log)
        monthMeter = month
        let guidance = GuidanceService(
            venues: guidedVenues, sources: sources, store: store, clock: options.clock, log: options.log
        ) { await month.kilowattHours(at: $0) }
        try await guidance.start()
        let plans = PlanBook()
        let submitter = EventSubmitter(
            store: store, venues: venues, sinks: try startup.sinks(store, bridge), clock: options.clock,
            log: options.log,
            programsPerMinute: configuration.http.submissionsPerMinute,
            ownDevices: Set(configuration.devices.map(\.configuration.id.rawValue)),
            strictVenues: startup.strictVenues(venues))
        try await submitter.start()
        let controller = Controller(
            board: board, plans: plans, venues: venues, guidance: guidance, store: store, clock: options.clock,
            log: options.log, settings: startup.controlSettings(venues),
            expectedSurplus: setup.surplus(venues, from: guidance))
        try await controller.resumeExternalLimits()
        let context = DriverContext(
            venues: venues, guidance: guidance, events: submitter, profiles: profiles, clock: options.clock,
            log: options.log)
        let central = CentralSystem(store: ChargePointBook(store: store), clock: options.clock, log: options.log)
        devices = try await startup.devices(
            in: context, venues, board: board, controller: controller,
            drivers: .standard(central: central, broker: bridge?.client))
        recorder = SessionRecorder(
            board: board, submitter: submitter, guidance: guidance, store: store, clock: options.clock, log: options.log
        )
        try await recorder.start()
        services = HubServices(
            venues: venues, board: board, plans: plans, controller: controller, guidance: guidance,
            submitter: submitter,
            store: store, history: PowerHistory(board: board, clock: options.clock), clock: options.clock,
            log: options.log)
        self.configuration = configuration
        self.options = options
        web = WebEdge(
            configuration.http, services: services, dashboard: options.share.dashboard, webSockets: [central.route])
        await startup.sayWhatIsOdd(store)
    }

    /// EnergyKit by this hub's own services, for code that runs inside it.
    package nonisolated var energyKit: any EnergyKitBackend { ServicesBackend(services) }

    /// The store, for programs that run the hub inside themselves.
    var store: HubStore { services.store }

    /// Lets everything run; returns at once.
    package func start() async {
        let services = services
        let recorder = recorder
        let monthMeter = monthMeter
        run { await services.guidance.run() }
        run { await monthMeter.run() }
        run { await services.submitter.run() }
        run { await recorder.run() }
        run { await services.controller.run() }
        run { await services.history.run() }
        for (id, device) in devices {
            run { await device.run(DeviceReporter(id: id, board: services.board)) }
        }
        run { await services.store.watchWriting() }
        if options.clock is SystemClock { run { await HubRuntime.watchClock(services, recorder) } }
        run { await Housekeeping(store: services.store, clock: services.clock, log: services.log).run() }
        await web.start()
        await bridge?.start(services)
        if let client = bridge?.client {
            let cars = CarTopics(client: client, board: services.board, clock: services.clock, log: services.log)
            run { await cars.run() }
            for (configured, venue) in zip(configuration.venues, services.venues.all) {
                guard let source = configured.presence else { continue }
                let presence = PresenceTopic(
                    source, at: venue, client: client, book: services.controller.presence, clock: services.clock,
                    log: services.log.labelled("presence"))
                run { await presence.run() }
            }
        }
        ServiceNotifier.send(.ready)
        run { await HubRuntime.feedWatchdog(services.controller) }
    }

    /// The port it answers at, once it does.
    package var port: Int? { get async { await web.port } }

    /// Stops everything in an order that loses nothing: devices into their safe state, while chargers that connect to
    /// the hub still can be told, then the edges, then the store.
    package func stop() async {
        ServiceNotifier.send(.stopping)
        await bridge?.stop()
        await services.controller.release(within: .seconds(2))
        await web.stop()
        // Only now: devices at the hub's own broker are told by it.
        await bridge?.close()
        for task in tasks { task.cancel() }
        await recorder.stop()
        await services.submitter.drain(within: .seconds(1))
        await HubRuntime.wait(for: tasks, within: .milliseconds(900))
        await services.submitter.close()
        await services.store.close()
    }

    private func run(_ body: @escaping @Sendable () async -> Void) {
        tasks.append(Task { await body() })
    }

    /// Says that the machine's clock was set, and lets nobody go on by moments of the old one.
    private static func watchClock(_ services: HubServices, _ recorder: SessionRecorder) async {
        var watch = ClockWatch(services.clock)
        while (try? await Task.sleep(for: .seconds(2))) != nil {
            guard let seconds = watch.look() else { continue }
            let way = seconds < 0 ? "back" : "forward"
            services.log.labelled("clock").warning(
                "the machine's clock was set \(way) by \(PlainDuration.text(seconds: seconds)) and shows \(services.clock.now.formatted(.iso8601)); open sessions end, guidance and plans are made anew"
            )
            await recorder.clockWasSet()
            await services.guidance.refresh()
            services.controller.wake()
        }
    }

    /// Waits until tasks that were cancelled have ended; one that is stuck, such as in a look-up of a name, holds nobody up,
    /// since all that it could lose is on disk.
    private static func wait(for tasks: [Task<Void, Never>], within limit: Duration) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            for task in tasks { await task.value }
            end.finish()
        }
        let alarm = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        for await _ in ends {}
        alarm.cancel()
        waiting.cancel()
    }

    /// Tells the service manager that the control loop is alive; a loop that is stuck is not fed and gets restarted.
    private static func feedWatchdog(_ controller: Controller) async {
        guard let interval = ServiceNotifier.watchdogInterval else { return }
        var last = -1
        while (try? await Task.sleep(for: interval / 3)) != nil {
            let ticks = await controller.ticks
            if ticks != last { ServiceNotifier.send(.watchdog) }
            last = ticks
        }
    }
}
