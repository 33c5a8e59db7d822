import HubKit
import OCPP
import Storage

/// Keeps the transactions of chargers in the hub's store, beside what else is kept for a device.
struct ChargePointBook: ChargePointStore {
    let store: HubStore
    private static let key = "ocpp"

    init(store: HubStore) { self.store = store }

    func kept(for device: DeviceID) async throws -> String? {
        try await store.setting(Self.key, device: device)
    }

    func keep(_ text: String, for device: DeviceID) async throws {
        try await store.keep(setting: text, key: Self.key, device: device)
    }
}
