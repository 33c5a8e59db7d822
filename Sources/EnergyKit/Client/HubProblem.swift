import Foundation
import WebClient

/// The hub's `application/problem+json` (RFC 9457), and what other faults of a call mean in EnergyKit's terms.
struct HubProblem: Decodable {
    private var code: String?
    private var detail: String?
    private var index: Int?
    private var eventID: UUID?
    private var rule: String?
    private var found: String?

    /// The failure that an answer other than success stands for.
    static func failure(_ answer: WebResponse, from place: HubAddress) -> EnergyKitFailure {
        let seconds = answer.headers.values("Retry-After").first.flatMap { Int($0) }
        let wait = seconds.map { Duration.seconds(max(0, min($0, 86_400))) }
        return failure(json: Data(answer.body), status: answer.status, retryAfter: wait, from: place)
    }

    /// The failure that a problem document stands for; without a status for one that came within a stream.
    static func failure(
        json: Data, status: Int?, retryAfter: Duration?, from place: HubAddress
    ) -> EnergyKitFailure {
        let problem = try? JSONDecoder().decode(HubProblem.self, from: json)
        let detail = problem?.detail ?? "\(place) answered with status \(status ?? 0), which is not a hub's answer"
        if let error = problem?.code.flatMap(EnergyKitError.init(code:)) {
            if error == .invalidLoadEvent, let invalid = problem?.invalidEvent { return EnergyKitFailure(invalid) }
            return EnergyKitFailure(error, detail: detail, retryAfter: retryAfter)
        }
        switch status {
        case 401, 403: return EnergyKitFailure(.permissionDenied, detail: detail)
        case 413:
            return EnergyKitFailure(
                InvalidLoadEvent(rule: .malformed, detail: "a batch that is larger than the hub takes in one call"))
        case 429: return EnergyKitFailure(.rateLimitExceeded, detail: detail, retryAfter: retryAfter ?? .seconds(1))
        case 408, 500, 502, 503, 504:
            return EnergyKitFailure(.serviceUnavailable, detail: detail, retryAfter: retryAfter ?? .seconds(1))
        default: return EnergyKitFailure(.serviceUnavailable, detail: detail)
        }
    }

    private var invalidEvent: InvalidLoadEvent? {
        rule.flatMap { LoadEventRule(rawValue: $0) }.map {
            InvalidLoadEvent(index: index, eventID: eventID, rule: $0, detail: found ?? "")
        }
    }

    /// The failure that an exchange without a whole answer stands for; a cancellation stays one.
    static func failure(_ error: any Error, from place: HubAddress) -> any Error {
        guard let error = error as? WebClientError else { return error }
        if case .cannotConnect = error, let socket = place.socket,
            FileManager.default.fileExists(atPath: socket), !FileManager.default.isWritableFile(atPath: socket)
        {
            return EnergyKitFailure(
                .permissionDenied, detail: "this user may not open \(socket); add it to the hub's group")
        }
        let detail =
            "no hub answers at \(place) (\(error)); see that it runs, or say where it is with OFFPEAK_URL"
        return EnergyKitFailure(
            .serviceUnavailable, detail: detail, retryAfter: error.isTransient ? .seconds(2) : nil)
    }
}
