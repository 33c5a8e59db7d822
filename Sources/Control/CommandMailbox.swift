import Foundation
package import HubKit
import ThreadKit

/// Carries the controller's wishes to one device: only the newest wish of each kind counts, and a wish is tried until
/// the device took it; where the device says that it can't, more and more rarely, since it may have been busy or starting
/// (field case D-6).
///
/// The controller never waits for it, so a dead device delays no tick. Calls to the device never overlap.
package actor CommandMailbox {
    private let device: any Device
    private let clock: any HubClock
    private let log: HubLog
    private let wishes = Locked<[DeviceCommand.Slot: DeviceCommand]>([:])
    private var settled: [DeviceCommand.Slot: DeviceCommand] = [:]
    /// When a wish that was put off, or failed, is tried again.
    private var postponed: [DeviceCommand.Slot: (command: DeviceCommand, since: Date, until: Date)] = [:]
    private var failures: [DeviceCommand.Slot: Int] = [:]
    /// How often the device said that it can't do a command.
    private var refusals: [DeviceCommand.Slot: (command: DeviceCommand, count: Int)] = [:]
    private let troubles = Locked<[DeviceCommand.Slot: String]>([:])
    private var complaints: [DeviceCommand.Slot: StandingFault] = [:]
    private var worker: Task<Void, Never>?
    private var pause: Task<Void, Never>?
    private var isClosed = false
    /// The last answer of the device to each kind of command.
    package private(set) var receipts: [DeviceCommand.Slot: CommandReceipt] = [:]

    /// What the device does not do, in a few words; nothing while it does what is wished.
    package nonisolated var trouble: String? { troubles.withLock { $0.values.min() } }

    /// Makes a mailbox.
    package init(id: DeviceID, device: any Device, clock: any HubClock, log: HubLog) {
        self.device = device
        self.clock = clock
        self.log = log.labelled("device.\(id)")
    }

    /// Wishes for a command; returns at once, and keeps the order of the calls.
    package nonisolated func post(_ command: DeviceCommand) {
        let isNew = wishes.withLock { wishes in
            defer { wishes[command.slot] = command }
            return wishes[command.slot] != command
        }
        if isNew { Task { await self.look() } }
    }

    /// Takes no more wishes and gives the device its last commands, once it has answered the one it may be busy with.
    /// - Parameter commands: the last commands; none leaves the device as it is.
    /// - Returns: the device's answers.
    /// - Throws: what kept the device from taking one; the others are tried all the same.
    @discardableResult
    package func close(with commands: [DeviceCommand]) async throws -> [CommandReceipt] {
        isClosed = true
        worker?.cancel()
        pause?.cancel()
        await worker?.value
        var answers: [CommandReceipt] = []
        var fault: (any Error)?
        for command in commands {
            do {
                let receipt = try await device.perform(command)
                receipts[command.slot] = receipt
                answers.append(receipt)
            } catch {
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        return answers
    }

    private func look() {
        guard !isClosed else { return }
        // Whoever waits looks at the new wish now.
        pause?.cancel()
        if worker == nil { worker = Task { await self.work() } }
    }

    private func work() async {
        while !isClosed, let next = nextWish() {
            if next.at > clock.now { await wait(until: next.at) } else { await carryOut(next.command) }
        }
        worker = nil
    }

    /// The wish that is due first among those the device has not answered.
    private func nextWish() -> (command: DeviceCommand, at: Date)? {
        let open = wishes.current.values.filter { settled[$0.slot] != $0 }
        return open.map { ($0, due($0)) }.min { $0.1 < $1.1 }
    }

    private func due(_ command: DeviceCommand) -> Date {
        // What was put off by a clock that was set back since then is due.
        guard let later = postponed[command.slot], later.since <= clock.now else { return .distantPast }
        // What was put off for one command need not hold for another, but a device that fails fails for all.
        return later.command == command || failures[command.slot] != nil ? later.until : .distantPast
    }

    private func wait(until date: Date) async {
        let pause = Task { [clock] in _ = try? await clock.sleep(until: date) }
        self.pause = pause
        await pause.value
        self.pause = nil
    }

    private func carryOut(_ command: DeviceCommand) async {
        do {
            let receipt = try await device.perform(command)
            failures[command.slot] = nil
            refusals[command.slot] = nil
            postponed[command.slot] = nil
            receipts[command.slot] = receipt
            note(receipt)
        } catch {
            guard !isClosed else { return }
            noteFailure(of: command, error)
        }
    }

    private func note(_ receipt: CommandReceipt) {
        let command = receipt.command
        switch receipt.outcome {
        case .applied:
            log.info(command.plainText)
            settled[command.slot] = command
            complaints[command.slot] = nil
            troubles.withLock { $0[command.slot] = nil }
        case .unchanged:
            settled[command.slot] = command
            troubles.withLock { $0[command.slot] = nil }
        case .refused(let reason):
            noteTrouble(of: command)
            complain("\(command.plainText): refused: \(reason)", command.slot)
            settled[command.slot] = command
        case .deferred(let until, _):
            // The device is in a state between two wishes: neither the old one nor the new one is settled.
            settled[command.slot] = nil
            let now = clock.now
            postponed[command.slot] = (command, now, max(until, now.addingTimeInterval(clock.speed)))
        }
    }

    private func noteFailure(of command: DeviceCommand, _ error: any Error) {
        // What was written is not known: the wish before it has to be written again too, if it comes back.
        settled[command.slot] = nil
        let failed = failures[command.slot, default: 0] + 1
        let backoff = Backoff(first: 2, cap: 30)
        guard let wait = waitingTime(after: error, failures: failed, backoff: backoff, now: clock.now) else {
            return noteRefusal(of: command, error)
        }
        failures[command.slot] = failed
        complain("\(command.plainText): could not be carried out: \(plainWords(of: error)); trying again", command.slot)
        // Real seconds: the network does not run faster in a demo.
        let now = clock.now
        postponed[command.slot] = (command, now, now.addingTimeInterval(max(0.5, wait) * clock.speed))
    }

    private func noteRefusal(of command: DeviceCommand, _ error: any Error) {
        failures[command.slot] = nil
        let before = refusals[command.slot].flatMap { $0.command == command ? $0.count : nil } ?? 0
        refusals[command.slot] = (command, before + 1)
        noteTrouble(of: command)
        complain(
            "\(command.plainText): can't be carried out: \(plainWords(of: error)); tried again now and then",
            command.slot)
        let now = clock.now
        let seconds = min(3600, 60 * pow(2, Double(before)))
        postponed[command.slot] = (command, now, now.addingTimeInterval(seconds * clock.speed))
    }

    private func noteTrouble(of command: DeviceCommand) {
        troubles.withLock { $0[command.slot] = "the device does not take '\(command.plainText)'" }
    }

    private func complain(_ text: String, _ slot: DeviceCommand.Slot) {
        let silence = 3600 * max(1, clock.speed)
        if let line = complaints[slot, default: StandingFault(reminderSeconds: silence)].failed(text, at: clock.now) {
            log.warning(line)
        }
    }
}

extension DeviceCommand {
    /// The command as a person reads it.
    package var plainText: String {
        switch self {
        case .limitCurrent(let amps) where amps == 0: "pauses charging"
        case .limitCurrent(let amps): "offers \(String(format: "%.1f", amps)) A"
        case .usePhases(let count): "charges on \(count) phases"
        case .setSetpoint(let celsius): "sets \(String(format: "%.1f", celsius)) °C"
        case .shiftSetpoint(let kelvin) where kelvin == 0: "goes by its own setpoint"
        case .shiftSetpoint(let kelvin): "shifts its setpoint by \(PlainNumber.text(kelvin)) K"
        case .offerSurplus(let watts) where watts == 0: "offers no surplus"
        case .offerSurplus(let watts): "offers \(PlainNumber.text(watts, .powerWatts)) of surplus"
        case .limitPower(let watts?): "limits the power to \(PlainNumber.text(watts, .powerWatts))"
        case .limitPower(nil): "lifts the limit of power"
        case .reduce(let state): "load state \(state.rawValue)"
        case .battery(.automatic): "follows the house"
        case .battery(.hold): "keeps its charge"
        case .battery(.charge(let watts)): "charges the battery with \(PlainNumber.text(watts, .powerWatts))"
        case .lock: "draws as little as it can"
        case .release: "runs as it would by itself"
        }
    }
}
