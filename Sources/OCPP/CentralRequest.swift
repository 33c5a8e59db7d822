import EnergyKit
package import Foundation

/// What the hub asks of a charger.
package struct CentralRequest: Sendable, Equatable {
    /// The call's name.
    package let action: String
    /// What it says.
    package let payload: Payload

    /// What a charging profile is for.
    package enum Purpose: String, Sendable {
        /// Every transaction that has no profile of its own.
        case transactionDefault = "TxDefaultProfile"
        /// One transaction.
        case transaction = "TxProfile"
    }

    /// The unit of a limit.
    package enum RateUnit: String, Sendable {
        /// Amps for each phase.
        case amps = "A"
        /// Watts of all phases together.
        case watts = "W"
    }

    /// A limit on charging from now on, without an end.
    package struct Limit: Sendable, Equatable {
        /// The connector.
        package var connector: Int
        /// What the limit is for.
        package var purpose = Purpose.transactionDefault
        /// The transaction, for a limit on one.
        package var transaction: Int?
        /// The unit.
        package var unit = RateUnit.amps
        /// The limit in that unit, sent with one decimal; 0 pauses.
        package var limit: Double
        /// The profile's place: a higher one wins.
        package var stackLevel = 0
        /// When it begins: a little in the past, so that it holds although the two clocks differ.
        package var begins: Date

        /// Describes a limit.
        package init(connector: Int, limit: Double, begins: Date) {
            self.connector = connector
            self.limit = limit
            self.begins = begins
        }
    }

    /// Sets a limit.
    package static func setLimit(_ limit: Limit) -> CentralRequest {
        var profile: [String: Payload] = [
            "chargingProfileId": .number(limit.purpose == .transaction ? 8_485 : 8_484),
            "stackLevel": .number(Double(limit.stackLevel)),
            "chargingProfilePurpose": .text(limit.purpose.rawValue), "chargingProfileKind": "Absolute",
            "chargingSchedule": [
                "chargingRateUnit": .text(limit.unit.rawValue),
                "startSchedule": .text(EnergyKitJSON.string(from: limit.begins) ?? ""),
                "chargingSchedulePeriod": [
                    ["startPeriod": 0, "limit": .number((limit.limit * 10).rounded(.down) / 10)]
                ],
            ],
        ]
        if let transaction = limit.transaction { profile["transactionId"] = .number(Double(transaction)) }
        return CentralRequest(
            action: "SetChargingProfile",
            payload: ["connectorId": .number(Double(limit.connector)), "csChargingProfiles": .object(profile)])
    }

    /// Takes away every profile of a purpose.
    package static func clearProfiles(connector: Int, _ purpose: Purpose) -> CentralRequest {
        CentralRequest(
            action: "ClearChargingProfile",
            payload: [
                "connectorId": .number(Double(connector)), "chargingProfilePurpose": .text(purpose.rawValue),
            ])
    }

    /// Begins a transaction as if a card had been shown.
    package static func start(connector: Int, idTag: String) -> CentralRequest {
        CentralRequest(
            action: "RemoteStartTransaction",
            payload: ["connectorId": .number(Double(connector)), "idTag": .text(idTag)])
    }

    /// Ends a transaction.
    package static func stop(transaction: Int) -> CentralRequest {
        CentralRequest(
            action: "RemoteStopTransaction", payload: ["transactionId": .number(Double(transaction))])
    }

    /// Asks for every setting.
    package static let getConfiguration = CentralRequest(action: "GetConfiguration", payload: .empty)

    /// Changes a setting.
    package static func change(_ key: String, to value: String) -> CentralRequest {
        CentralRequest(action: "ChangeConfiguration", payload: ["key": .text(key), "value": .text(value)])
    }

    /// Asks to send a message now.
    package static func trigger(_ message: String, connector: Int? = nil) -> CentralRequest {
        var payload: [String: Payload] = ["requestedMessage": .text(message)]
        if let connector { payload["connectorId"] = .number(Double(connector)) }
        return CentralRequest(action: "TriggerMessage", payload: .object(payload))
    }
}
