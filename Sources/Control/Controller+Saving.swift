import Foundation
import HubKit
import Storage

/// What control keeps on disk: how devices are used, and what was planned.
extension Controller {
    /// Writes what a tick changed, outside of it.
    func saveLoop() async {
        while !Task.isCancelled {
            // A store that can't be written is not asked twice a second.
            let pause: Duration = saveFault.since == nil ? .milliseconds(500) : .seconds(5)
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            await saveChanges()
        }
    }

    func saveChanges() async {
        let ids = unsaved
        unsaved.removeAll()
        for id in ids {
            do {
                try await keep(kept[id], "use", id)
                try await keep(keptPlans[id].map { StoredPlan($0) }, "plan", id)
            } catch {
                unsaved.insert(id)
                noteSaving(error)
            }
        }
        if !ids.isEmpty, unsaved.isDisjoint(with: ids) { noteSaving(nil) }
    }

    private func noteSaving(_ error: (any Error)?) {
        if let error {
            let text = "what devices are to do can't be written, it is kept in memory and tried again"
            if let line = saveFault.failed("\(text): \(plainWords(of: error))", at: clock.now) { log.warning(line) }
        } else if let line = saveFault.ended("what devices are to do is on disk again", at: clock.now) {
            log.notice(line)
        }
    }

    func stored<Value: Decodable>(_ key: String, _ id: DeviceID) async throws -> Value? {
        guard let text = try await store.setting(key, device: id) else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            log.warning("what was kept as \(key) of \(id) can't be read and is left aside: \(plainWords(of: error))")
            return nil
        }
    }

    func storedPlan(_ id: DeviceID) async throws -> DevicePlan? {
        guard let venue = board[id]?.configuration.venueID else { return nil }
        let plan: StoredPlan? = try await stored("plan", id)
        return plan?.plan(deviceID: id, venueID: venue)
    }

    func keep<Value: Encodable>(_ value: Value?, _ key: String, _ id: DeviceID) async throws {
        let text = try value.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        try await store.keep(setting: text, key: key, device: id)
    }
}
