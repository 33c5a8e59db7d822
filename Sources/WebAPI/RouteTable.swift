import WebServer

extension Route {
    /// Everything under `/api/v1`.
    static let all = venueRoutes + deviceRoutes + recordRoutes + outboxRoutes + hubRoutes

    private static let venueRoutes = [
        Route(
            method: "GET", path: "/venues", summary: "The homes",
            parameters: [Parameter(name: "homeID", summary: "only the home of this UUID")], answer: "Venues"
        ) { try $0.venues($1.request) },
        Route(method: "GET", path: "/venues/{id}", summary: "One home", answer: "Venue") { try $0.venue($1.id) },
        Route(
            method: "GET", path: "/venues/{id}/guidance",
            summary: "The guidance in force; with Accept: text/event-stream each new one too",
            parameters: [
                Parameter(
                    name: "action", summary: "when to run what can wait, or when to draw less",
                    choices: ["shift", "reduce"]),
                Parameter(name: "device", summary: "who asks, at most 128 characters"),
            ], answer: "Guidance"
        ) { try await $0.guidance($1.request, $1.id) },
        Route(
            method: "GET", path: "/venues/{id}/plan", summary: "What every device is going to do, with the reason",
            answer: "VenuePlan"
        ) { try $0.plan($1.id) },
        Route(
            method: "GET", path: "/venues/{id}/limit",
            summary: "What all chargers of a home may draw together, as a system outside said, and what holds now",
            answer: "PowerLimit"
        ) { try await $0.externalLimit($1.id) },
        Route(
            method: "PUT", path: "/venues/{id}/limit",
            summary: "Limits what all chargers of a home may draw together, for a time or until it is changed",
            access: .change, body: "PowerLimitRequest", answer: "PowerLimit"
        ) { try await $0.setExternalLimit($1.request, $1.id) },
        Route(
            method: "DELETE", path: "/venues/{id}/limit", summary: "Says that nothing limits them from outside",
            access: .change, answer: "PowerLimit"
        ) { try await $0.clearExternalLimit($1.id) },
        Route(
            method: "GET", path: "/venues/{id}/insights/energy",
            summary: "Energy of a device by calendar unit of the home's zone", parameters: insightParameters,
            answer: "EnergyInsights"
        ) { try await $0.energyInsights($1) },
        Route(
            method: "GET", path: "/venues/{id}/insights/runtime",
            summary: "The same in seconds of running time; its classes are seconds too", parameters: insightParameters,
            answer: "RuntimeInsights"
        ) { try await $0.runtimeInsights($1) },
        Route(
            method: "GET", path: "/venues/{id}/sources",
            summary: "How the sources behind a home's guidance are doing", answer: "Sources"
        ) { try await $0.sources(of: $1.id) },
        Route(
            method: "GET", path: "/venues/{id}/solar", summary: "What its solar system is expected to give, in watts",
            answer: "Solar"
        ) { try await $0.solar(of: $1.id) },
        Route(
            method: "POST", path: "/venues/{id}/events", summary: "Submits load events, all or nothing",
            access: .change, body: "LoadEvents", success: 202, answer: "Receipt"
        ) { try await $0.submit($1.request, $1.id, $1.client) },
    ]

    private static let insightParameters = [
        Parameter(name: "device", summary: "the deviceID of the load events", isRequired: true),
        Parameter(name: "start", summary: "first instant", isRequired: true),
        Parameter(name: "end", summary: "first instant after it", isRequired: true),
        Parameter(
            name: "granularity", summary: "the calendar unit, daily by itself",
            choices: ["hourly", "daily", "weekly", "monthly", "yearly"]),
        Parameter(name: "options", summary: "cleanliness, tariff, or both with a comma between"),
        Parameter(name: "flow", summary: "imported by itself", choices: ["imported", "exported"]),
    ]

    private static let deviceRoutes = [
        Route(method: "GET", path: "/devices", summary: "Every device", answer: "Devices") { api, _ in
            try api.devices()
        },
        Route(method: "GET", path: "/devices/{id}", summary: "One device", answer: "Device") { try $0.device($1.id) },
        Route(
            method: "GET", path: "/devices/{id}/what-if",
            summary: "What would be planned for a charger with another goal; nothing is changed",
            parameters: [
                Parameter(name: "energyWattHours", summary: "what is to be charged, or"),
                Parameter(name: "stateOfCharge", summary: "the charge to reach, in percent"),
                Parameter(name: "readyBy", summary: "by when", isRequired: true),
            ], answer: "WhatIf"
        ) { try await $0.whatIf($1.request, $1.id) },
        Route(
            method: "PUT", path: "/devices/{id}/mode", summary: "Changes how a device is used", access: .change,
            body: "Mode", answer: "Device"
        ) { try await $0.setMode($1.request, $1.id) },
        Route(
            method: "DELETE", path: "/devices/{id}/mode", summary: "Goes back to the configuration's mode",
            access: .change, answer: "Device"
        ) { try await $0.clearMode($1.id) },
        Route(
            method: "PUT", path: "/devices/{id}/goal", summary: "Sets what a device is to reach", access: .change,
            body: "Goal", answer: "Device"
        ) { try await $0.setGoal($1.request, $1.id) },
        Route(
            method: "DELETE", path: "/devices/{id}/goal", summary: "Clears the goal", access: .change, answer: "Device"
        ) { try await $0.clearGoal($1.id) },
        Route(
            method: "PUT", path: "/devices/{id}/limit",
            summary: "Sets the price at or below which a charger charges at once", access: .change, body: "Limit",
            answer: "Device"
        ) { try await $0.setLimit($1.request, $1.id) },
        Route(
            method: "DELETE", path: "/devices/{id}/limit", summary: "Clears the price limit", access: .change,
            answer: "Device"
        ) { try await $0.clearLimit($1.id) },
    ]

    private static let recordRoutes = [
        Route(
            method: "GET", path: "/events", summary: "Load events in the order they were accepted",
            parameters: [
                Parameter(name: "device", summary: "only this device's"),
                Parameter(name: "since", summary: "only from this time on"),
                Parameter(name: "limit", summary: "1 to 10000, 100 by itself"),
                Parameter(name: "after", summary: "the cursor of the page before"),
                Parameter(name: "format", summary: "json by itself", choices: ["json", "csv"]),
            ], answer: "EventPage"
        ) { try await $0.events($1.request) },
        Route(
            method: "GET", path: "/sessions", summary: "Sessions with energy, cost and carbon, newest first",
            parameters: [
                Parameter(name: "device", summary: "only this device's"),
                Parameter(name: "since", summary: "only those that began then or later"),
                Parameter(name: "limit", summary: "1 to 10000, 50 by itself"),
            ], answer: "SessionList"
        ) { try await $0.sessions($1.request) },
        Route(
            method: "GET", path: "/history", summary: "Power of every device over the last hours, minute by minute",
            parameters: [Parameter(name: "hours", summary: "0 to 24, 24 by itself")], answer: "History"
        ) { try await $0.history($1.request) },
        Route(
            method: "GET", path: "/stream",
            summary: "Server-sent events: reading, health, guidance, plan, event, hub, clock",
            answer: "text/event-stream"
        ) { api, _ in await api.stream() },
    ]

    private static let outboxRoutes = [
        Route(
            method: "GET", path: "/outbox", summary: "Every sink with its queue, its faults and its dead letters",
            answer: "Outbox"
        ) { api, _ in try await api.outbox() },
        Route(
            method: "GET", path: "/outbox/{id}/dead-letters",
            summary: "The load events that a sink refused for good, with the reason, oldest first",
            parameters: [
                Parameter(name: "limit", summary: "1 to 1000, 100 by itself"),
                Parameter(name: "after", summary: "the cursor of the page before"),
            ], answer: "DeadLetters"
        ) { try await $0.deadLetters($1.request, $1.id) },
        Route(
            method: "POST", path: "/outbox/{id}/resend",
            summary: "Puts dead letters back into the sink's queue: all, or those named", access: .change,
            body: "Resend", isBodyRequired: false, success: 202, answer: "Queued"
        ) { try await $0.resend($1.request, $1.id) },
        Route(
            method: "POST", path: "/outbox/{id}/replay",
            summary: "Puts the past into the sink's queue: all, or from a time on", access: .change, body: "Replay",
            isBodyRequired: false, success: 202, answer: "Queued"
        ) { try await $0.replay($1.request, $1.id) },
        Route(
            method: "POST", path: "/outbox/{id}/retry", summary: "Tries a sink that waits after a failure at once",
            access: .change, success: 204, answer: ""
        ) { try await $0.retry($1.request, $1.id) },
    ]

    private static let hubRoutes = [
        Route(
            method: "GET", path: "/sources",
            summary: "Every source of guidance: last and next fetch, stale since, quota, last error", answer: "Sources"
        ) { api, _ in try await api.sources() },
        Route(
            method: "GET", path: "/health", summary: "Whether the hub itself is well: its store, notices",
            answer: "HubHealth"
        ) { api, _ in try api.json(api.hubHealth) },
        Route(method: "GET", path: "/clock", summary: "The hub's time and its speed", answer: "Clock") { api, _ in
            try api.clockState()
        },
        Route(
            method: "GET", path: "/session", summary: "The role of the page's session", access: .open, answer: "Role"
        ) { try await $0.currentSession($1.request) },
        Route(
            method: "POST", path: "/session", summary: "Signs in with a token; sets a same-site cookie", access: .open,
            body: "SignIn", answer: "Role"
        ) { try await $0.signIn($1.request) },
        Route(
            method: "DELETE", path: "/session", summary: "Signs out", access: .open, success: 204, answer: ""
        ) { try $0.signOut($1.request) },
        Route(
            method: "GET", path: "/openapi.json", summary: "This description", answer: "application/json"
        ) { _, _ in .json(OpenAPI.document) },
    ]
}
