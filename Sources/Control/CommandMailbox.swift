package import HubKit
import Foundation

/// Carries the controller's wishes to one device: only the newest wish of each kind counts, and a wish is tried until
/// the device took it.
///
/// The controller never waits for it, so a dead device delays no tick.
package actor CommandMailbox {
    private let id: DeviceID
    private let device: any Device
    private let clock: any HubClock
    private let log: HubLog
    private var wishes: [DeviceCommand.Slot: DeviceCommand] = [:]
    private var settled: [DeviceCommand.Slot: DeviceCommand] = [:]
    private var worker: Task<Void, Never>?
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
    package func post(_ command: DeviceCommand) {
        wishes[command.slot] = command
        guard settled[command.slot] != command, worker == nil else { return }
        worker = Task { await self.work() }
    }

    /// Wishes for a command and waits until the device answered once, for the orderly end of the hub.
    package func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        wishes[command.slot] = command
        let receipt = try await device.perform(command)
        settled[command.slot] = command
        return receipt
    }

    /// Forgets what the device took, so that the next wish is written again: after it was away.
    package func forget() { settled.removeAll() }

    private func work() async {
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
        worker = nil
    }

    private func nextWish() -> DeviceCommand? {
        wishes.values.first { settled[$0.slot] != $0 }
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
