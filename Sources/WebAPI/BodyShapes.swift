import HubKit

/// The bodies that the API alone takes.
extension JSONShape {
    /// `POST /session`.
    static let signIn = object(["token": .text])

    /// `POST /outbox/{id}/resend`.
    static let resend = object(["sequences": .list(.whole)])

    /// Where a body has nothing to say.
    static let nothing = object([:])

    /// `POST /outbox/{id}/replay`.
    static let replay = object(["since": .text])

    /// `POST /venues/{id}/events`; kinds of values are the event decoder's, which names rule and place.
    static let events = list(.depending { $0["measurement"] == nil && $0["status"] != nil ? statusEvent : loadEvent })

    private static let device = members("id", "name", "type")

    private static let loadEvent = event([
        "session": orElse([
            "id": .anything, "state": .anything,
            "guidanceState": members("wasFollowingGuidance", "guidanceToken"),
        ]),
        "measurement": .depending { $0["stage"] == nil ? vehicle : $0["stateOfCharge"] == nil ? heating : .anything },
    ])

    private static let heating = members("stage")

    private static let vehicle = orElse([
        "stateOfCharge": .anything, "direction": .anything, "powerWatts": .anything, "energyWattHours": .anything,
        "energyEstimated": .anything,
        "performanceMetrics": members("estimatedRangeMeters", "batteryTemperatureCelsius"),
    ])

    private static let statusEvent = event([
        "venueID": .anything, "status": members("state", "reason"), "stateOfCharge": .anything,
        "energyWattHours": .anything, "estimatedRangeMeters": .anything, "sessionIdentifier": .anything,
        "chargingTarget": members(
            "stateOfCharge", "estimatedCompletionTime", "scheduledStartTime", "estimatedRangeAtTargetMeters"),
    ])

    private static func event(_ own: [String: JSONShape]) -> JSONShape {
        let common: [String: JSONShape] = [
            "id": .anything, "timestamp": .anything, "deviceID": .anything, "device": device,
        ]
        return orElse(common.merging(own) { _, own in own })
    }

    private static func members(_ names: String...) -> JSONShape {
        orElse(Dictionary(uniqueKeysWithValues: names.map { ($0, .anything) }))
    }

    /// Only objects are looked at; the decoder says what else is wrong.
    private static func orElse(_ known: [String: JSONShape]) -> JSONShape {
        .depending { tree in
            if case .object = tree { .object(known) } else { .anything }
        }
    }
}
