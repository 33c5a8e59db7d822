import Foundation
import HubKit
import OCPP

/// One charger that connects to the hub: takes in what it tells, and sets limits when they change.
///
/// A limit is written when it changes, when the charger has restarted, and, less and less often, when it offers another
/// one; never with every message.
actor OCPPCharger: Device, ChargePointListener {
    /// How often the charger is to say that it is there, in seconds.
    static let heartbeatSeconds = 60.0
    /// How long a charger may be away before it is offline: it reconnects by itself, at its own pace.
    static let patienceSeconds = 90.0

    nonisolated let capabilities: DeviceCapabilities
    let configuration: DeviceConfiguration
    let connection: OCPPConnection
    let range: CurrentRange
    let phases: Int
    let central: CentralSystem
    let clock: any HubClock
    let log: HubLog
    private let signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    var view: ChargerView
    var ledger = TransactionLedger()
    private var isLedgerRead = false
    private var storeFault = StandingFault()
    private var messageFault = StandingFault()
    private var reporter: DeviceReporter?
    private var teller: HealthTeller
    private var plausibility: Plausibility
    /// The last counters that can be.
    private var lastCounters: [Quantity: Sample] = [:]
    private var heardAt: Date?
    private var awaySince: Date

    private(set) var session: ChargePointSession?
    private var newestSession = 0
    /// Learns and mends the charger's settings at each connection.
    private(set) var preparation: Task<Void, Never>?
    var settings = ChargerSettings()
    var boot: BootNotification?
    /// Whether its next word of what it is was asked for, and means no restart.
    var hasAskedWhatItIs = false
    private var lastNews = ""
    /// Settings that the charger did not take; they are not tried again before the hub starts anew.
    var refusedSettings: Set<String> = []

    var limits = LimitState()
    var measuring = Pace(first: 60, cap: 900)
    var starting = Pace(first: 30, cap: 3600)

    init(
        _ configuration: DeviceConfiguration, _ connection: OCPPConnection, maximumAmps: Double,
        central: CentralSystem, context: DriverContext
    ) {
        self.configuration = configuration
        self.connection = connection
        self.central = central
        clock = context.clock
        log = context.log.labelled("device.\(configuration.id)")
        range = CurrentRange(minimumAmps: max(6, configuration.limits.minimumAmps ?? 6), maximumAmps: maximumAmps)
        let wired = context.venues[configuration.venueID]?.connection?.phases
        phases = configuration.limits.phases ?? wired ?? 3
        capabilities = DeviceCapabilities(
            meter: MeterCapabilities(power: true, importEnergy: true, phases: phases),
            charger: ChargerCapabilities(
                plugState: true, chargingState: true, currentLimit: range, phases: [phases], stateOfCharge: true))
        view = ChargerView(connector: connection.connector, phases: phases)
        teller = HealthTeller(clock: clock, log: log)
        plausibility = Plausibility(
            PlausibleRanges(
                connection: context.venues[configuration.venueID]?.connection, chargerAmps: maximumAmps))
        awaySince = clock.now
    }

    func run(_ reporter: DeviceReporter) async {
        self.reporter = reporter
        await readLedger()
        report()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [clock, signals] in
                while (try? await clock.sleep(seconds: 10)) != nil { signals.continuation.yield() }
            }
            group.addTask { [signals] in
                for await _ in signals.stream { await self.attend() }
            }
            await group.waitForAll()
        }
    }

    /// Looks after what is due, in a task that may call the charger.
    func wake() { signals.continuation.yield() }

    private func attend() async {
        report()
        guard let session, let preparation else { return }
        await preparation.value
        guard isCurrent(session) else { return }
        await askForValues(session)
        await reassert(session)
        await startWhereWanted(session)
        report()
    }

    /// Whether a session is the one that counts.
    func isCurrent(_ other: ChargePointSession) -> Bool { session === other }
}

// MARK: - Connections and messages

extension OCPPCharger {
    func opened(_ session: ChargePointSession) async {
        // Two connections in one moment may be told of in the other order.
        guard session.number > newestSession else { return }
        newestSession = session.number
        preparation?.cancel()
        hasAskedWhatItIs = false
        self.session = session
        limits.connectionIsNew()
        preparation = Task { await self.prepare(session) }
        await readLedger()
        report()
        wake()
    }

    func closed(_ session: ChargePointSession) async {
        guard isCurrent(session) else { return }
        self.session = nil
        preparation?.cancel()
        preparation = nil
        awaySince = clock.now
        report()
    }

    func answer(_ request: ChargePointRequest, from session: ChargePointSession) async throws(CallError) -> Payload {
        guard isCurrent(session) else { throw CallError(.genericError, "a newer connection has taken its place") }
        await readLedger()
        let now = clock.now
        heardAt = now
        let before = ledger
        let answer = take(request, at: now)
        // On disk before the charger hears of it.
        if ledger != before { await keepLedger() }
        return answer
    }

    func received(_ message: ReceivedMessage, from session: ChargePointSession) async {
        guard isCurrent(session) else { return }
        if case .fault(let error) = message,
            let line = messageFault.failed("sent a message that can't be used: \(plainWords(of: error))", at: clock.now)
        {
            log.warning(line)
        }
        report()
        wake()
    }

    /// Takes a call in and gives its answer.
    private func take(_ request: ChargePointRequest, at now: Date) -> Payload {
        let time = OCPPCharger.text(now)
        switch request {
        case .boot(let boot):
            if self.boot != boot {
                log.info("is a \(boot.vendor) \(boot.model), software \(boot.firmware ?? "unknown")")
            }
            self.boot = boot
            view.clockWasTold()
            if !hasAskedWhatItIs { limits.chargerHasRestarted() }
            hasAskedWhatItIs = false
            return [
                "status": "Accepted", "currentTime": time, "interval": .number(OCPPCharger.heartbeatSeconds),
            ]
        case .heartbeat: return ["currentTime": time]
        case .status(let status): take(status, at: now)
        case .authorize: return ["idTagInfo": ["status": "Accepted"]]
        case .start(let start):
            let id = ledger.start(start, at: now)
            if start.connector == connection.connector {
                view.note(counter: start.meterStart, at: start.at, receivedAt: now)
                limits.transactionHasBegun()
            }
            return ["transactionId": .number(Double(id)), "idTagInfo": ["status": "Accepted"]]
        case .stop(let stop):
            // One that nobody knows is accepted too: the charger would send it for ever (D-10).
            if ledger.stop(stop.transaction) {
                view.note(counter: stop.meterStop, at: stop.at, receivedAt: now)
            } else {
                sayOnce("ended the transaction \(stop.transaction), which the hub does not know")
            }
            return ["idTagInfo": ["status": "Accepted"]]
        case .meterValues(let values):
            if let id = values.transaction, ledger.adopt(id, on: values.connector, at: now) {
                sayOnce("goes on with the transaction \(id) from before")
            }
            view.note(values, at: now)
            measuring.reset()
        case .data: return ["status": "UnknownVendorId"]
        case .progress(let text): sayOnce(text)
        }
        return .empty
    }

    /// Says what the charger may repeat any number of times.
    private func sayOnce(_ news: String) {
        guard news != lastNews else { return }
        lastNews = news
        log.info(news)
    }

    private func take(_ status: StatusNotification, at now: Date) {
        let before = view.current?.status
        guard view.note(status, at: now) else { return }
        if status.status != before { starting.reset() }
        // A transaction that nobody ended can't go on without a car.
        if [.available, .preparing].contains(status.status) {
            ledger.lose(on: status.connector, before: status.at ?? now)
        }
    }

    static func text(_ date: Date) -> Payload {
        // Whole seconds: some chargers read no fraction.
        let whole = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        return .text(whole.formatted(.iso8601))
    }
}

// MARK: - Transactions on disk

extension OCPPCharger {
    private func readLedger() async {
        guard !isLedgerRead else { return }
        var kept: TransactionLedger?
        do {
            let text = try await central.store?.kept(for: configuration.id)
            kept = try text.map { try JSONDecoder().decode(TransactionLedger.self, from: Data($0.utf8)) }
        } catch {
            log.warning("what was kept of its transactions can't be read and is left aside: \(plainWords(of: error))")
        }
        // Another message may have waited for the same.
        guard !isLedgerRead else { return }
        isLedgerRead = true
        if let kept { ledger = kept }
    }

    private func keepLedger() async {
        guard let store = central.store else { return }
        do {
            let text = String(decoding: try JSONEncoder().encode(ledger), as: UTF8.self)
            try await store.keep(text, for: configuration.id)
            if let line = storeFault.ended("its transactions are on disk again", at: clock.now) { log.notice(line) }
        } catch {
            // To refuse the transaction would be to refuse the car its charge.
            let text = "its transactions can't be written and are kept in memory: \(plainWords(of: error))"
            if let line = storeFault.failed(text, at: clock.now) { log.warning(line) }
        }
    }
}

// MARK: - What goes to the board

extension OCPPCharger {
    /// The age at which a measured value counts no more.
    var staleSeconds: Double { max(60, meterSeconds * 3) }

    /// The pace at which values are asked for, in seconds.
    var meterSeconds: Double { max(1, (configuration.pollSeconds ?? 10).rounded()) }

    var transaction: TransactionLedger.Transaction? { ledger.transaction(on: connection.connector) }

    private func report() {
        guard let reporter else { return }
        let now = clock.now
        var lie: String?
        if let heardAt, session != nil, view.current != nil || view.measuredAt != nil {
            var reading = view.reading(
                heard: heardAt, transaction: transaction, staleSeconds: staleSeconds, at: now)
            lie = plausibility.judge(&reading, doubts: view.doubts)
            keepCounters(&reading)
            if reading[.limitAmps] == nil { reading[.limitAmps] = limits.written }
            reporter.report(reading)
        }
        let (state, reason) = health(at: now, lie)
        teller.tell(state, reason, to: reporter)
    }

    /// A counter that reads what it can't be is what it was; its time says how old that is (field case D-4).
    private func keepCounters(_ reading: inout DeviceReading) {
        for quantity in [Quantity.importWattHours, .exportWattHours] {
            if let sample = reading.samples[quantity] { lastCounters[quantity] = sample }
            reading.samples[quantity] = reading.samples[quantity] ?? lastCounters[quantity]
        }
        let counter = reading.samples[.importWattHours]
        reading.samples[.sessionWattHours] = counter.flatMap { ChargerView.sessionSample($0, transaction) }
    }

    private func health(at now: Date, _ lie: String?) -> (DeviceHealth.State, String?) {
        guard session != nil else {
            let isPatient = abs(now.timeIntervalSince(awaySince)) < OCPPCharger.patienceSeconds * clock.speed
            let address = "ws://HUB\(CentralSystem.pathPrefix)\(connection.chargePoint)"
            guard heardAt != nil else {
                let reason = "it has not connected yet; let it connect to \(address) with the hub's address and port"
                return (isPatient ? .starting : .offline, reason)
            }
            return (isPatient ? .degraded : .offline, "its connection has ended; it has to connect to \(address) again")
        }
        guard let status = view.current else { return (.starting, "it has connected and not said yet what it does") }
        if let fault = view.fault { return (.degraded, "it reports \(fault)") }
        if [view.status?.status, view.whole?.status].contains(.faulted) { return (.degraded, "it reports a fault") }
        if status.status == .unavailable { return (.degraded, "it says that it is not available; look at the charger") }
        if let complaint = limits.complaint ?? limits.disobedience ?? lie { return (.degraded, complaint) }
        if status.status == .charging, isSilent(at: now) {
            return (.degraded, "it charges and sends no meter values; its power is not known")
        }
        return (.ok, nil)
    }

    /// Whether no values have come for as long as they count.
    func isSilent(at now: Date) -> Bool {
        guard let since = [view.measuredAt, view.statusSince].compactMap(\.self).max() else { return false }
        return now.timeIntervalSince(since) > staleSeconds
    }
}
