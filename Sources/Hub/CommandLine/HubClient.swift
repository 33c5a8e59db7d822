import Foundation
import FoundationNetworking
import HubKit

/// Why the running hub did not answer.
struct HubClientError: Error, CustomStringConvertible {
    let description: String
    let exitStatus: ExitStatus
}

/// Asks the running hub over HTTP.
struct HubClient {
    private let base: String
    private let token: String?

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        base = environment["OFFPEAK_URL"] ?? "http://127.0.0.1:8484"
        token = environment["OFFPEAK_TOKEN"]
    }

    private struct Problem: Decodable {
        var detail: String
        var code: String
    }

    /// The body of an answer.
    /// - Parameter path: what stands after `/api/v1`.
    /// - Throws: `HubClientError` in words a person can act on.
    func get(_ path: String) async throws -> Data {
        guard let url = URL(string: base + "/api/v1" + path) else {
            throw HubClientError(description: "OFFPEAK_URL is not an address: \(base)", exitStatus: .usage)
        }
        var request = URLRequest(url: url, timeoutInterval: 30)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let data: Data
        let response: URLResponse
        do {
            (data, response) = try await URLSession.shared.data(for: request)
        } catch {
            throw HubClientError(
                description:
                    "no hub answers at \(base); start one with 'offpeak run', or say where it is with OFFPEAK_URL",
                exitStatus: .tryLater)
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            let problem = try? JSONDecoder().decode(Problem.self, from: data)
            throw HubClientError(
                description: problem?.detail ?? "the hub at \(base) answered \(status)",
                exitStatus: status >= 500 || status == 429 ? .tryLater : .refused)
        }
        return data
    }
}
