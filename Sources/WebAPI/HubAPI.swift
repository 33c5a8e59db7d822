package import Control
import EnergyKit
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
    let live: LiveFeed
    let refusals: RefusalLog

    /// Makes the API.
    /// - Parameters:
    ///   - services: what it answers from.
    ///   - access: who may read and change.
    ///   - dashboard: the folder with the page.
    package init(_ services: HubServices, access: AccessRules, dashboard: URL?) {
        self.services = services
        gate = Gate(store: services.store, rules: access)
        assets = Assets(folder: dashboard)
        live = LiveFeed(services)
        refusals = RefusalLog(clock: services.clock)
        insights = InsightService(store: services.store, venues: services.venues, log: services.log)
    }

    /// Answers a request; never throws, since every fault has an answer.
    package func respond(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            return try await route(request)
        } catch let problem as Problem {
            return problem.response
        } catch {
            if let event = (error as? EnergyKitFailure)?.invalidEvent { return InvalidEventProblem(event).response }
            return Problem(error, log: services.log).response
        }
    }

    /// The longest body of a submission, in bytes, whose reading may take place on the store's thread.
    private static let shortSubmission = 16_384

    /// What a request's handler prefers to run on: a short submission the store's thread, where its transaction costs no
    /// change of thread; everything else the concurrent pool.
    package func executor(for request: HTTPRequest) -> (any TaskExecutor)? {
        let isShort = request.method == "POST" && request.body.count <= Self.shortSubmission
        return isShort && request.path.hasSuffix("/events") ? services.store.thread : nil
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        try gate.checkHost(request)
        let path = request.pathSegments
        switch path.first {
        case "healthz" where path.count == 1: return try await onlyRead(request) { .text("ok\n") }
        case "readyz" where path.count == 1: return try await onlyRead(request) { try await ready() }
        case "metrics" where path.count == 1:
            return try await onlyRead(request) {
                try await gate.requireReading(request)
                return await metrics()
            }
        case "api" where path.dropFirst().first == "v1":
            return try await api(request, Array(path.dropFirst(2))).tagged(for: request)
        default:
            return try await onlyRead(request) { try assets.response(request) }.tagged(for: request)
        }
    }
}
