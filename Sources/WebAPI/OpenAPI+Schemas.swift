/// What bodies and answers look like, as JSON Schema.
extension OpenAPI {
    typealias Schema = [String: Any]

    static var schemas: [String: Schema] { base.merging(devices) { $1 }.merging(records) { $1 }.merging(outbox) { $1 } }

    private static var text: Schema { ["type": "string"] }
    private static var number: Schema { ["type": "number"] }
    private static var whole: Schema { ["type": "integer"] }
    private static var flag: Schema { ["type": "boolean"] }
    private static var uuid: Schema { ["type": "string", "format": "uuid"] }
    private static var time: Schema { ["type": "string", "format": "date-time"] }

    private static func words(_ words: String...) -> Schema { ["type": "string", "enum": words] }

    private static func list(_ items: Schema) -> Schema { ["type": "array", "items": items] }

    /// An object; members whose name ends in `?` may be absent.
    private static func object(_ members: [String: Schema]) -> Schema {
        var properties: [String: Any] = [:]
        for (name, schema) in members { properties[name.replacing("?", with: "")] = schema }
        return [
            "type": "object", "properties": properties, "additionalProperties": false,
            "required": members.keys.filter { !$0.hasSuffix("?") }.sorted(),
        ]
    }

    private static var base: [String: Schema] {
        [
            "Problem": object([
                "type": text, "title": text, "status": whole, "code": text, "detail": text, "index?": whole,
                "eventID?": uuid, "rule?": text, "found?": text,
            ]),
            "Venue": object([
                "id": uuid, "name": text, "homeID?": uuid, "timeZone": text, "currency?": text,
                "presence?": words("home", "away"),
            ]),
            "Venues": list(reference("Venue")),
            "Guidance": object([
                "guidanceToken": uuid, "energyVenueID": uuid, "action": words("shift", "reduce"), "issuedAt": time,
                "interval": object(["start": time, "end": time]),
                "options": list(words("locationHasRatePlan", "guidanceIncorporatesRatePlan")),
                "values": list(
                    object([
                        "start": time, "end": time, "rating": number, "pricePerKWh?": number, "gramsCO2PerKWh?": number,
                    ])),
            ]),
            "Sources": list(
                object([
                    "name": text, "provider": text, "kind": words("price", "carbon", "solar"), "lastFetch?": time,
                    "lastSuccess?": time, "nextFetch?": time, "staleSince?": time, "knownUntil?": time,
                    "failures": whole, "requestsLeft?": whole, "lastError?": text,
                ])),
            "Solar": object([
                "source?": text, "slots": list(object(["start": time, "end": time, "powerWatts": number])),
            ]),
            "HubHealth": object([
                "state": words("ok", "degraded"), "notices": list(text),
                "store": object([
                    "isWritable": flag, "failingSince?": time, "reason?": text, "failedWrites": whole,
                    "backupFault?": text,
                ]),
            ]),
            "Clock": object(["now": time, "speed": number]),
            "SignIn": object(["token": text]),
            "Role": object(["role": words("viewer", "operator", "admin")]),
            "Receipt": object(["accepted": whole, "duplicates": whole]),
        ]
    }

    private static var devices: [String: Schema] {
        [
            "Devices": list(reference("Device")),
            "Device": object([
                "id": text, "name": text, "kind": words("ev", "hvac", "meter"), "driver": text, "profile?": text,
                "role?": text, "venueID": uuid, "capabilities": ["type": "object"],
                "health": object([
                    "state": words("starting", "ok", "degraded", "offline", "disabled"), "since": time, "reason?": text,
                ]),
                "reading?": ["type": "object", "properties": ["at": time], "required": ["at"]], "mode?": mode,
                "goal?": reference("Goal"), "limit?": reference("Limit"), "reason?": text, "plan?": reference("Plan"),
            ]),
            "Mode": object(["mode": mode]),
            "Goal": object([
                "energyWattHours?": number, "stateOfCharge?": number, "readyBy?": time, "minimumAmps?": number,
                "repeatsDaily?": flag, "setpointCelsius?": number, "comfortBandKelvin?": number,
            ]),
            "Limit": object(["pricePerKWh": number]),
            "WhatIf": object([
                "plan": reference("Plan"), "current?": reference("Plan"), "others": list(reference("Plan")),
            ]),
            "PowerLimitRequest": object(["powerWatts": number, "durationSeconds?": number]),
            "PowerLimit": object([
                "powerWatts?": number, "receivedAt?": time, "until?": time, "allowedWatts?": number, "isFailSafe": flag,
            ]),
            "Plan": object([
                "deviceID": text, "computedAt": time, "guidanceToken?": uuid,
                "intervals": list(object(["start": time, "end": time, "powerWatts?": number, "reduce?": text])),
                "energyWattHours?": number, "cost?": number, "costIfStartedNow?": number, "currency?": text,
                "gramsCO2?": number,
                "unmetEnergyWattHours?": number, "reason": text,
            ]),
            "VenuePlan": object(["venueID": uuid, "computedAt?": time, "devices": list(reference("Plan"))]),
            "History": object(["series": list(object(["deviceID": text, "points": list(list(number))]))]),
        ]
    }

    private static var mode: Schema { words("off", "now", "guided", "solar") }

    private static var records: [String: Schema] {
        [
            "LoadEvents": list(reference("LoadEvent")),
            "LoadEvent": object([
                "id": uuid, "timestamp": time, "deviceID": text,
                "device?": object(["id": text, "name": text, "type": text]),
                "session?": object([
                    "id": uuid, "state": words("begin", "active", "end"),
                    "guidanceState": object(["wasFollowingGuidance": flag, "guidanceToken": uuid]),
                ]),
                "measurement?": object([
                    "stateOfCharge?": whole, "direction?": words("imported", "exported"), "powerWatts?": number,
                    "energyWattHours?": number, "energyEstimated?": flag, "performanceMetrics?": ["type": "object"],
                    "stage?": whole,
                ]),
                "venueID?": uuid, "status?": object(["state": text, "reason?": text]), "stateOfCharge?": whole,
                "energyWattHours?": number, "estimatedRangeMeters?": number, "chargingTarget?": ["type": "object"],
                "sessionIdentifier?": uuid,
            ]),
            "EventPage": object(["events": list(reference("LoadEvent")), "after?": text]),
            "SessionList": object(["sessions": list(reference("Session"))]),
            "Session": object([
                "id": uuid, "venueID": uuid, "deviceID": text, "kind": words("ev", "hvac"),
                "direction": words("imported", "exported"), "began": time, "ended?": time, "lastEventAt": time,
                "energyWattHours?": number, "cost?": number, "gramsCO2?": number, "followedShare?": number,
                "irregularities": list(text),
            ]),
            "EnergyInsights": list(insight), "RuntimeInsights": list(insight),
        ]
    }

    private static var outbox: [String: Schema] {
        [
            "Outbox": object(["sinks": list(reference("Sink"))]),
            "Sink": object([
                "name": text, "depth": whole, "delivered": whole, "oldestWaiting?": time, "failures": whole,
                "isBroken": flag, "nextAttempt?": time, "lastError?": text, "deadLetters": whole,
            ]),
            "DeadLetters": object([
                "deadLetters": list(
                    object([
                        "sequence": whole, "at": time, "reason": text, "venueID": uuid,
                        "event": reference("LoadEvent"),
                    ])), "after?": text,
            ]),
            "Resend": object(["sequences?": list(whole)]), "Replay": object(["since?": time]),
            "Queued": object(["queued": whole]),
        ]
    }

    private static var insight: Schema {
        object([
            "start": time, "end": time, "totalWattHours?": number, "totalSeconds?": number,
            "cleanliness?": object(["cleaner": number, "lessClean": number, "avoid": number, "unknown": number]),
            "tariff?": object([
                "superOffPeak": number, "offPeak": number, "partialPeak": number, "onPeak": number,
                "criticalPeak": number, "unknown": number,
            ]),
        ])
    }
}
