import EnergyKit
import Foundation
import HubKit
import WebServer

/// A fault as RFC 9457 has it: `application/problem+json` with a code for programs and a sentence for people.
struct Problem: Error {
    let status: Int
    let code: String
    let detail: String
    let retryAfter: Int?
    let headers: [(String, String)]

    init(
        _ status: Int, _ code: String, _ detail: String, retryAfter: Int? = nil, headers: [(String, String)] = []
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
        self.headers = headers
    }

    /// The answer to an error of the services; one that is unknown says nothing of the hub's inside.
    init(_ error: any Error, log: HubLog) {
        switch error {
        case let failure as EnergyKitFailure:
            self.init(failure)
        case let error as EnergyKitError:
            self.init(EnergyKitFailure(error))
        case let error as HubError:
            switch error.code {
            case .notFound: self.init(404, "notFound", error.message)
            case .refused: self.init(422, "refused", error.message)
            case .storage: self.init(503, "serviceUnavailable", error.message, retryAfter: 10)
            default: self.init(500, error.code.rawValue, error.message)
            }
        default:
            log.error("a request failed: \(plainWords(of: error))")
            self.init(500, "internal", "the hub could not answer; its log says why")
        }
    }

    private init(_ failure: EnergyKitFailure) {
        let seconds = failure.retryAfter.map { max(1, Int($0.inSeconds.rounded(.up))) }
        switch failure.error {
        case .venueUnavailable: self.init(404, failure.error.code, failure.detail)
        case .invalidLoadEvent: self.init(422, failure.error.code, failure.detail)
        case .permissionDenied, .locationServicesDenied: self.init(403, failure.error.code, failure.detail)
        case .rateLimitExceeded: self.init(429, failure.error.code, failure.detail, retryAfter: seconds ?? 60)
        case .guidanceUnavailable, .serviceUnavailable:
            self.init(503, failure.error.code, failure.detail, retryAfter: seconds ?? 30)
        case .unsupportedRegion: self.init(422, failure.error.code, failure.detail)
        case .inProgress: self.init(409, failure.error.code, failure.detail, retryAfter: seconds ?? 1)
        @unknown default: self.init(500, failure.error.code, failure.detail)
        }
    }

    static func notFound(_ request: HTTPRequest) -> Problem {
        // A path may be as long as a request's head.
        let path = request.path.count > 200 ? request.path.prefix(200) + "…" : request.path[...]
        return Problem(
            404, "notFound", "there is nothing at \(request.method) \(path); /api/v1/openapi.json lists what there is")
    }

    static func badRequest(_ detail: String) -> Problem { Problem(400, "badRequest", detail) }

    /// The method is not among those that the address knows.
    static func method(_ request: HTTPRequest, allowed: [String]) -> Problem {
        let names = allowed.joined(separator: ", ")
        return Problem(
            405, "method", "\(request.method) is not known here; use one of \(names)", headers: [("Allow", names)])
    }

    var response: HTTPResponse {
        let challenge = status == 401 ? [("WWW-Authenticate", "Bearer realm=\"offpeak\"")] : []
        return .problem(status, code: code, detail: detail, retryAfter: retryAfter, headers: challenge + headers)
    }
}
