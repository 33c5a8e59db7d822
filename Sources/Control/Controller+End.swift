import Foundation
import HubKit

/// How control ends.
extension Controller {
    /// Leaves every device in a state that is safe without the hub, and decides nothing after that.
    ///
    /// Heat pumps run as usual, chargers draw no more than the connection bears unwatched.
    /// - Parameter deadline: real time that all devices together may take.
    package func release(within deadline: Duration) async {
        isReleased = true
        await saveChanges()
        let (answers, answered) = AsyncStream.makeStream(of: Void.self)
        // Not children of a group: a device that hangs must not hold up the end beyond the deadline.
        let work = mailboxes.map { id, mailbox in
            let command = lastCommand(for: id)
            return Task { [log] in
                do {
                    _ = try await mailbox.close(with: command)
                } catch {
                    log.warning("\(id) could not be left in its safe state: \(plainWords(of: error))")
                }
                answered.yield()
            }
        }
        let timer = Task {
            try? await Task.sleep(for: deadline)
            answered.finish()
        }
        var left = work.count
        var iterator = answers.makeAsyncIterator()
        while left > 0, await iterator.next() != nil { left -= 1 }
        if left > 0 { log.warning("\(left) devices did not answer in time and are left as they are") }
        timer.cancel()
        for task in work { task.cancel() }
    }

    private func lastCommand(for id: DeviceID) -> DeviceCommand? {
        guard let device = board[id], device.reading != nil else { return nil }
        // Tried also where it was lost a moment ago: nobody else would end its reduction.
        if heatPumps[id] != nil { return device.capabilities.hvac?.reduce.isEmpty == false ? .release : nil }
        guard device.health.state != .offline, let control = chargers[id],
            let range = device.capabilities.charger?.currentLimit,
            let fuse = venues[device.configuration.venueID]?.connection?.amps
        else { return nil }
        let sharers = chargers.keys.filter { board[$0]?.configuration.venueID == device.configuration.venueID }
        let safe = fuse * ConnectionLimit.failSafeShare / Double(max(1, sharers.count))
        let offered = max(control.lastAmps, device.reading?[.limitAmps] ?? 0)
        return offered > safe ? .limitCurrent(amps: range.settable(safe)) : nil
    }
}
