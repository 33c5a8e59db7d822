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
    func get(_ path: String) async throws -> Data { try await send("GET", path, nil) }

    /// The body of the answer to a change.
    /// - Parameters:
    ///   - path: what stands after `/api/v1`.
    ///   - body: JSON, where there is something to say.
    /// - Throws: as `get(_:)`.
    func post(_ path: String, _ body: Data?) async throws -> Data { try await send("POST", path, body) }

    private func send(_ method: String, _ path: String, _ body: Data?) async throws -> Data {
        guard let url = URL(string: base + "/api/v1" + path) else {
            throw HubClientError(description: "OFFPEAK_URL is not an address: \(base)", exitStatus: .usage)
        }
        var request = URLRequest(url: url, timeoutInterval: 30)
        request.httpMethod = method
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
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
        guard (200..<300).contains(status) else {
            let problem = try? JSONDecoder().decode(Problem.self, from: data)
            throw HubClientError(
                description: problem?.detail ?? "the hub at \(base) answered \(status)",
                exitStatus: status >= 500 || status == 429 ? .tryLater : .refused)
        }
        return data
    }
}
