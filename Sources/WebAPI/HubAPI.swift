package import Control
package import Foundation
package import Guidance
package import HubKit
import Insights
package import LoadEvents
package import Storage
package import WebServer

/// Everything the API answers from.
package struct HubServices: Sendable {
    package var venues: VenueRegistry
    package var board: DeviceBoard
    package var plans: PlanBook
    package var controller: Controller
    package var guidance: GuidanceService
    package var submitter: EventSubmitter
    package var store: HubStore
    package var history: PowerHistory
    package var clock: any HubClock
    package var log: HubLog

    /// Names the services.
    package init(
        venues: VenueRegistry, board: DeviceBoard, plans: PlanBook, controller: Controller, guidance: GuidanceService,
        submitter: EventSubmitter, store: HubStore, history: PowerHistory, clock: any HubClock, log: HubLog
    ) {
        self.venues = venues
        self.board = board
        self.plans = plans
        self.controller = controller
        self.guidance = guidance
        self.submitter = submitter
        self.store = store
        self.history = history
        self.clock = clock
        self.log = log.labelled("web")
    }
}

/// The hub's HTTP API, page and metrics: turns requests into calls of the services and their values into JSON.
package struct HubAPI: Sendable {
    let services: HubServices
    let gate: Gate
    let assets: Assets
    let insights: InsightService

    /// Makes the API.
    /// - Parameters:
    ///   - services: what it answers from.
    ///   - access: who may read and change.
    ///   - dashboard: the folder with the page.
    package init(_ services: HubServices, access: AccessRules, dashboard: URL?) {
        self.services = services
        gate = Gate(store: services.store, rules: access)
        assets = Assets(folder: dashboard)
        insights = InsightService(store: services.store, venues: services.venues, log: services.log)
    }

    /// Answers a request; never throws, since every fault has an answer.
    package func respond(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            return try await route(request)
        } catch let problem as Problem {
            return problem.response
        } catch {
            return Problem(error, log: services.log).response
        }
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        try gate.checkHost(request)
        let path = request.pathSegments
        switch path.first {
        case "healthz" where path.count == 1: return .text("ok\n")
        case "readyz" where path.count == 1: return await ready()
        case "metrics" where path.count == 1:
            try await gate.requireReading(request)
            return await metrics()
        case "api" where path.dropFirst().first == "v1":
            return try await api(request, Array(path.dropFirst(2)))
        default:
            return try assets.response(request)
        }
    }

    private func api(_ request: HTTPRequest, _ path: [String]) async throws -> HTTPResponse {
        if path == ["session"] { return try await session(request) }
        switch request.method {
        case "GET", "HEAD":
            try await gate.requireReading(request)
            return try await get(request, path)
        case "PUT", "POST", "DELETE":
            let client = try await gate.requireChange(request)
            return try await change(request, path, client)
        default:
            throw Problem(405, "method", "\(request.method) is not known here; use GET, PUT, POST or DELETE")
        }
    }

    private func get(_ request: HTTPRequest, _ path: [String]) async throws -> HTTPResponse {
        switch (path.first, path.count) {
        case ("venues", 1): return try venues(request)
        case ("venues", 2): return try venue(path[1])
        case ("venues", 3) where path[2] == "guidance": return try await guidance(request, path[1])
        case ("venues", 3) where path[2] == "plan": return try plan(path[1])
        case ("venues", 3) where path[2] == "sources": return try await sources(of: path[1])
        case ("venues", 3) where path[2] == "solar": return try await solar(of: path[1])
        case ("sources", 1): return try await sources()
        case ("venues", 4) where path[2] == "insights": return try await insights(request, path[1], path[3])
        case ("devices", 1): return try devices()
        case ("devices", 2): return try device(path[1])
        case ("events", 1): return try await events(request)
        case ("sessions", 1): return try await sessions(request)
        case ("outbox", 1): return try await outbox()
        case ("outbox", 3) where path[2] == "dead-letters": return try await deadLetters(request, path[1])
        case ("stream", 1): return stream()
        case ("history", 1): return try await history(request)
        case ("clock", 1): return try clockState()
        case ("health", 1): return try json(hubHealth)
        case ("openapi.json", 1): return .json(OpenAPI.document)
        default: throw Problem.notFound(request)
        }
    }

    private func change(_ request: HTTPRequest, _ path: [String], _ client: String) async throws -> HTTPResponse {
        switch (request.method, path.first, path.count) {
        case ("POST", "venues", 3) where path[2] == "events": return try await submit(request, path[1], client)
        case ("PUT", "devices", 3) where path[2] == "mode": return try await setMode(request, path[1])
        case ("PUT", "devices", 3) where path[2] == "goal": return try await setGoal(request, path[1])
        case ("POST", "outbox", 3): return try await changeOutbox(request, path[1], path[2])
        case ("DELETE", "devices", 3) where path[2] == "goal": return try await clearGoal(path[1])
        default: throw Problem.notFound(request)
        }
    }
}
