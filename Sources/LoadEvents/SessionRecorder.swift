import EnergyKit
import Foundation
package import HubKit
package import Storage

/// Makes load events of what the devices on the board do, and keeps every one until it is on disk.
package actor SessionRecorder {
    private let board: DeviceBoard
    private let submitter: EventSubmitter
    private let guidance: any GuidanceProviding
    private let store: HubStore
    private let clock: any HubClock
    private let log: HubLog
    private let backoff = Backoff(first: 1, cap: 60)

    private var devices: [DeviceID: RecordedDevice] = [:]
    private var questions: [DeviceID: Task<Void, Never>] = [:]

    /// Makes the recorder.
    /// - Parameters:
    ///   - board: where readings, use and guidance of the devices stand.
    ///   - submitter: where events go.
    ///   - guidance: asked for a device that works under no guidance yet.
    ///   - store: where open sessions are found again.
    ///   - clock: the hub's time.
    ///   - log: told of changes of state.
    package init(
        board: DeviceBoard, submitter: EventSubmitter, guidance: any GuidanceProviding, store: HubStore,
        clock: any HubClock, log: HubLog
    ) {
        self.board = board
        self.submitter = submitter
        self.guidance = guidance
        self.store = store
        self.clock = clock
        self.log = log.labelled("recorder")
    }

    /// Takes up the sessions that were open when the hub last ran.
    /// - Throws: what keeps the store from being read.
    package func start() async throws {
        for state in board.all {
            let id = state.configuration.id
            guard let fresh = SessionMachine(state) else { continue }
            var device = RecordedDevice(fresh, venueID: state.configuration.venueID)
            if let text = try await store.recorder(device: id.rawValue) {
                do {
                    var kept = try SessionMachine(text: text)
                    kept.resume()
                    if kept.fits(state.kind) { device.machine = kept }
                } catch {
                    log.warning(
                        "the open session of \(id) can't be taken up (\(plainWords(of: error))); a new one begins with the next reading"
                    )
                }
            }
            devices[id] = device
        }
    }

    /// Records until the task is cancelled.
    package func run() async {
        let changes = board.changes()
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.lookAtAll()
                for await change in changes { await self.look(at: change.device) }
            }
            group.addTask { await self.wakeAtQuarters() }
        }
    }

    /// Writes what is open to disk; call it when `run()` has returned.
    package func stop() async {
        for question in questions.values { question.cancel() }
        for (id, device) in devices where device.machine.isOpen || !device.waiting.isEmpty {
            do {
                try await submitter.record(
                    device.waiting, at: device.venueID, device: id,
                    recorder: device.machine.isOpen ? device.machine.text : nil)
                devices[id]?.waiting = []
            } catch {
                log.error("the open session of \(id) could not be written: \(plainWords(of: error))")
            }
        }
    }

    /// Ends every open session at its last moment, since the clock was set; what goes on is a new one.
    package func clockWasSet() async {
        for id in devices.keys.sorted() {
            guard let state = board[id], var device = devices[id] else { continue }
            device.waiting += device.machine.clockWasSet(
                device: state.loadDevice, vehicle: state.configuration.vehicle)
            (device.retryAt, device.mayAskAt, device.asked) = (nil, nil, nil)
            devices[id] = device
            await write(id)
        }
    }

    private func lookAtAll() async {
        for state in board.all { await look(at: state.configuration.id) }
    }

    private func wakeAtQuarters() async {
        while !Task.isCancelled {
            guard (try? await clock.sleep(until: clock.now.nextQuarterHour)) != nil else { return }
            await lookAtAll()
        }
    }

    /// Steps the device's machine with what the board shows, and writes what comes of it.
    func look(at id: DeviceID) async {
        // Events of 1970 would stay in the books for ever.
        guard clock.isBelievable, let state = board[id], let fresh = SessionMachine(state) else { return }
        var device = devices[id] ?? RecordedDevice(fresh, venueID: state.configuration.venueID)
        let now = clock.now
        let use = RecordedDevice.Use(mode: state.mode, goal: state.goal)
        let userActed = device.use.map { $0 != use } ?? false
        device.use = use
        let asked = device.asked.flatMap { now < $0.until ? $0.guidance : nil }
        let input = SessionInput(
            reading: state.reading, userActed: userActed, guidance: state.guidance ?? asked, now: now)
        device.waiting += device.machine.step(input, device: state.loadDevice, vehicle: state.configuration.vehicle)
        if device.waiting.count > RecordedDevice.mostWaiting, !device.isWriting {
            let left = device.thinOut()
            log.warning("\(left) samples of \(id) were left out, since the store can't be written; the sums stay right")
        }
        let isWithout = device.machine.isOpen && input.guidance == nil
        let since = device.lacksGuidanceSince ?? now
        device.lacksGuidanceSince = isWithout ? since : nil
        devices[id] = device
        // After a start control has not decided yet: what a session quoted before still holds then.
        let isLasting = isWithout && now.timeIntervalSince(since) >= max(60, 2 * clock.speed)
        if device.machine.needsGuidance || isLasting { ask(for: id, kind: state.kind) }
        await write(id)
        await keep(id)
    }

    /// Puts an open session's state on disk where no event has done so for long enough.
    private func keep(_ id: DeviceID) async {
        guard let device = devices[id], device.isToBeKept(at: clock.now, speed: clock.speed) else { return }
        let machine = device.machine
        devices[id]?.isWriting = true
        // A failure is told with the first event that fails as well; the next try comes when the next write would.
        try? await submitter.record([], at: device.venueID, device: id, recorder: machine.text)
        devices[id]?.noteKept(machine, at: clock.now)
        devices[id]?.isWriting = false
        // What came meanwhile found the device busy.
        await write(id)
    }

    /// Writes the device's waiting events with the state that belongs to them; on failure they wait for another time.
    private func write(_ id: DeviceID) async {
        guard let device = devices[id], !device.isWriting, device.retryAt.map({ $0 <= clock.now }) ?? true else {
            return
        }
        devices[id]?.isWriting = true
        defer { devices[id]?.isWriting = false }
        while let device = devices[id], !device.waiting.isEmpty {
            let events = device.waiting
            let machine = device.machine
            do {
                try await submitter.record(
                    events, at: device.venueID, device: id, recorder: machine.isOpen ? machine.text : nil)
                devices[id]?.waiting.removeFirst(events.count)
                devices[id]?.noteKept(machine, at: clock.now)
                if device.failures > 0 { log.notice("events of \(id) can be written again") }
                devices[id]?.failures = 0
                devices[id]?.retryAt = nil
            } catch {
                return wait(id, after: error)
            }
        }
    }

    private func wait(_ id: DeviceID, after error: any Error) {
        guard var device = devices[id] else { return }
        if device.failures == 0 {
            log.error("events of \(id) can't be written, they are kept and tried again: \(plainWords(of: error))")
        }
        device.failures += 1
        let seconds = backoff.delay(attempt: device.failures, draw: Double.random(in: 0..<1))
        device.retryAt = clock.now.addingTimeInterval(seconds * max(clock.speed, 1))
        devices[id] = device
    }

    /// Asks for guidance on the device's behalf, so that its session has a token to quote.
    private func ask(for id: DeviceID, kind: DeviceKind) {
        guard let device = devices[id], questions[id] == nil, device.mayAskAt.map({ $0 <= clock.now }) ?? true else {
            return
        }
        devices[id]?.mayAskAt = clock.now.addingTimeInterval(max(30, 2 * clock.speed))
        let venueID = device.venueID
        questions[id] = Task {
            do {
                let answer = try await guidance.guidance(kind == .ev ? .shift : .reduce, at: venueID, for: id.rawValue)
                let quoted = FollowedGuidance(token: answer.guidanceToken, isFollowing: false)
                devices[id]?.asked = RecordedDevice.Asked(guidance: quoted, until: answer.interval.end)
                questions[id] = nil
                if !Task.isCancelled { await look(at: id) }
            } catch {
                questions[id] = nil
                log.debug("no guidance for \(id) yet, its session waits: \(plainWords(of: error))")
            }
        }
    }
}
