import Foundation
import HubKit
import OCPP

extension OCPPCharger {
    /// How long a charger may take to connect when someone wants to read it, in real time.
    static let inspectionPatience = Duration.seconds(90)

    func inspect() async throws -> [InspectedPoint] {
        let deadline = ContinuousClock.now + OCPPCharger.inspectionPatience
        while session == nil || view.current == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(100))
        }
        guard session != nil else {
            throw HubError(
                .connection,
                "the charger did not connect within \(Int(OCPPCharger.inspectionPatience.inSeconds)) s; it has to connect to ws://HUB\(CentralSystem.pathPrefix)\(connection.chargePoint)",
                retry: .transient)
        }
        await preparation?.value
        // Values that were asked for follow the answer.
        let patience = ContinuousClock.now + .seconds(5)
        while view.measuredAt == nil, ContinuousClock.now < patience {
            try await Task.sleep(for: .milliseconds(100))
        }
        return states + values
    }

    private var states: [InspectedPoint] {
        let status = view.current
        return [
            InspectedPoint(
                name: "status", value: status?.status.rawValue, raw: status?.status.rawValue ?? "nothing",
                place: "StatusNotification"),
            InspectedPoint(
                name: "transaction", value: transaction.map { String($0.id) },
                raw: transaction.map { String($0.id) } ?? "none", place: "StartTransaction"),
            InspectedPoint(
                name: "charger", value: boot.map { "\($0.vendor) \($0.model)" },
                raw: boot.map { [$0.vendor, $0.model, $0.firmware ?? ""].joined(separator: " / ") } ?? "nothing",
                place: "BootNotification"),
        ]
    }

    private var values: [InspectedPoint] {
        Quantity.allCases.compactMap { quantity in
            guard let sample = view.samples[quantity] else { return nil }
            return InspectedPoint(
                name: quantity.rawValue, value: PlainNumber.text(sample.value, quantity),
                raw: view.raw[quantity] ?? "", place: "MeterValues")
        }
    }
}
