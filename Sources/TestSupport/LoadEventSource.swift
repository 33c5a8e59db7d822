package import Foundation

/// A load event's JSON with every part open to a mistake.
package struct LoadEventText: Sendable {
    /// What the event says; `measurement` takes the place of the usual one of a charging car.
    package var id = UUID().uuidString
    package var timestamp: Date
    package var deviceID = "test-car"
    package var session = UUID().uuidString
    package var state = "active"
    package var token: String
    package var direction = "imported"
    package var stateOfCharge = 50
    package var powerWatts = 7000.0
    package var energyWattHours = 100.0
    package var measurement: String?
    /// The part of the second, such as `.5`.
    package var fraction = ""

    /// An event in the middle of a session of its own.
    package init(at timestamp: Date, token: String) {
        self.timestamp = timestamp
        self.token = token
    }

    /// The event.
    package var json: String {
        let time = timestamp.formatted(.iso8601).dropLast() + "\(fraction)Z"
        let measured =
            measurement ?? """
                {"stateOfCharge":\(stateOfCharge),"direction":"\(direction)","powerWatts":\(powerWatts),
                "energyWattHours":\(energyWattHours)}
                """
        return """
            {"id":"\(id)","timestamp":"\(time)","deviceID":"\(deviceID)","session":{"id":"\(session)","state":"\(state)",
            "guidanceState":{"wasFollowingGuidance":true,"guidanceToken":"\(token)"}},"measurement":\(measured)}
            """
    }
}

/// Makes load events that a hub accepts: whole sessions that quote its own guidance.
package struct LoadEventSource: Sendable {
    /// How many events a batch has.
    package static let batchSize = 5
    /// The home.
    package let venue: String
    /// The guidance that events quote.
    package let guidance: String
    /// The hub's time when it was asked.
    package let now: Date

    /// Asks the hub for its venue, its guidance and its time.
    /// - Throws: `HTTPClient.Failure` when it gives none.
    package init(_ client: HTTPClient) async throws {
        let clock = try await client.get("/api/v1/clock").json["now"].date
        guard let venue = try await client.get("/api/v1/venues").json[0]["id"].string, let now = clock,
            let guidance = try await client.get("/api/v1/venues/\(venue)/guidance?action=shift&device=test")
                .json["guidanceToken"].string
        else { throw HTTPClient.Failure(description: "the hub gives no guidance") }
        self.venue = venue
        self.guidance = guidance
        self.now = now
    }

    /// Submits a body.
    /// - Throws: as `HTTPClient.send`.
    package func post(_ body: String, _ client: HTTPClient) async throws -> HTTPClient.Answer {
        try await client.send("POST", "/api/v1/venues/\(venue)/events", body: body)
    }

    /// An event of a car that is charging.
    /// - Parameter seconds: how long before now.
    package func event(secondsAgo seconds: Double = 600) -> LoadEventText {
        LoadEventText(at: now.addingTimeInterval(-seconds), token: guidance)
    }

    /// The identifiers of a batch's events.
    package func ids(_ index: Int) -> [String] { (0..<Self.batchSize).map { Self.id(index, $0) } }

    /// A session of five events, all within the last half hour; the same index gives the same batch.
    package func batch(_ index: Int) -> String {
        let events = (0..<Self.batchSize).map { number in
            var event = event(secondsAgo: Double(1800 - number * 60))
            event.id = Self.id(index, number)
            event.session = Self.id(index, 99)
            event.deviceID = "load-\(index)"
            event.state = number == 0 ? "begin" : number == Self.batchSize - 1 ? "end" : "active"
            event.energyWattHours = Double(number * 100)
            return event.json
        }
        return "[\(events.joined(separator: ","))]"
    }

    private static func id(_ index: Int, _ number: Int) -> String {
        String(format: "%08X-0000-4000-8000-%012X", index, number)
    }
}

/// Load events as anyone reads them over HTTP.
package enum HubEvents {
    /// Every event of a device, or of all, page by page.
    /// - Throws: as `HTTPClient.send`.
    package static func all(of device: String? = nil, _ client: HTTPClient, limit: Int = 200) async throws
        -> [JSONValue]
    {
        var events: [JSONValue] = []
        var after = ""
        while true {
            let filter = device.map { "&device=\($0)" } ?? ""
            let page = try await client.get("/api/v1/events?limit=\(limit)\(filter)\(after)").json
            events += page["events"].array
            guard let cursor = page["after"].string else { return events }
            after = "&after=\(cursor)"
        }
    }

    /// The energy of every session together: a session's last event has its energy since the begin.
    package static func energy(_ events: [JSONValue]) -> Double {
        var sessions: [String: Double] = [:]
        for event in events {
            guard let id = event["session"]["id"].string, let energy = event["measurement"]["energyWattHours"].number
            else { continue }
            sessions[id] = max(sessions[id] ?? 0, energy)
        }
        return sessions.values.reduce(0, +)
    }
}
