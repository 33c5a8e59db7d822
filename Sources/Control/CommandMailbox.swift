import Foundation
package import HubKit
import ThreadKit

/// Carries the controller's wishes to one device: only the newest wish of each kind counts, and a wish is tried until
/// the device took it.
///
/// The controller never waits for it, so a dead device delays no tick.
package actor CommandMailbox {
    private let id: DeviceID
    private let device: any Device
    private let clock: any HubClock
    private let log: HubLog
    /// The newest wish of each kind; outside the actor, so that wishes keep the order in which they were posted.
    private let wishes = Locked<[DeviceCommand.Slot: DeviceCommand]>([:])
    private var settled: [DeviceCommand.Slot: DeviceCommand] = [:]
    private var isWorking = false
    private var lastComplaint: String?
    /// The last answer of the device to each kind of command.
    package private(set) var receipts: [DeviceCommand.Slot: CommandReceipt] = [:]

    /// Makes a mailbox.
    package init(id: DeviceID, device: any Device, clock: any HubClock, log: HubLog) {
        self.id = id
        self.device = device
        self.clock = clock
        self.log = log.labelled("device.\(id)")
    }

    /// Wishes for a command; returns at once.
    ///
    /// The same wish again is nothing new.
    package nonisolated func post(_ command: DeviceCommand) {
        let isNew = wishes.withLock { $0.updateValue(command, forKey: command.slot) != command }
        guard isNew else { return }
        Task { await self.work() }
    }

    /// Wishes for a command and waits until the device answered once, for the orderly end of the hub.
    /// - Throws: what the device throws.
    package func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        wishes.withLock { $0[command.slot] = command }
        let receipt = try await device.perform(command)
        settled[command.slot] = command
        return receipt
    }

    private func work() async {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        var failures = 0
        while let command = nextWish(), !Task.isCancelled {
            do {
                let receipt = try await device.perform(command)
                failures = 0
                receipts[command.slot] = receipt
                guard try await settle(command, receipt) else { continue }
            } catch is CancellationError {
                break
            } catch {
                failures += 1
                complain("\(command) could not be carried out: \(error); trying again")
                // Real seconds: the network does not run faster in a demo.
                let wait = min(30, Double(1 << min(failures - 1, 5))) * clock.speed
                guard (try? await clock.sleep(seconds: wait)) != nil else { break }
            }
        }
    }

    private func nextWish() -> DeviceCommand? {
        wishes.current.values.first { settled[$0.slot] != $0 }
    }

    /// Notes the outcome; a deferred command is tried again at its time.
    private func settle(_ command: DeviceCommand, _ receipt: CommandReceipt) async throws -> Bool {
        switch receipt.outcome {
        case .applied:
            log.info("\(command.plainText)")
            settled[command.slot] = command
            lastComplaint = nil
        case .unchanged:
            settled[command.slot] = command
        case .refused(let reason):
            complain("\(command.plainText) was refused: \(reason)")
            settled[command.slot] = command
        case .deferred(let until, _):
            // A newer wish must not wait for this one's time.
            let soon = min(until, clock.now.addingTimeInterval(max(10, clock.speed * 0.05)))
            try await clock.sleep(until: soon)
            return false
        }
        return true
    }

    private func complain(_ text: String) {
        guard text != lastComplaint else { return }
        lastComplaint = text
        log.warning(text)
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
        case .reduce(let state): "load state \(state.rawValue)"
        }
    }
}
