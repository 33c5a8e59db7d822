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

    /// Reads where the hub is.
    /// - Throws: `HubClientError` when `OFFPEAK_URL` is no address of a hub.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(HubClientError) {
        let given = environment["OFFPEAK_URL"].flatMap { $0.isEmpty ? nil : $0 } ?? "http://127.0.0.1:8484"
        let url = URLComponents(string: given)
        guard let url, ["http", "https"].contains(url.scheme), url.host?.isEmpty == false, url.query == nil,
            url.fragment == nil
        else {
            throw HubClientError(
                description: "OFFPEAK_URL is an address such as http://127.0.0.1:8484, not '\(given)'",
                exitStatus: .usage)
        }
        var text = given[...]
        while text.last == "/" { text.removeLast() }
        base = String(text)
        token = environment["OFFPEAK_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private struct Problem: Decodable {
        var detail: String
        var code: String
    }

    /// An answer as a value.
    /// - Throws: as `get(_:)`, and for an answer that no hub gives.
    func value<Value: Decodable>(_ type: Value.Type, _ path: String, with decoder: JSONDecoder = JSONDecoder())
        async throws -> Value
    { try read(type, try await get(path), with: decoder) }

    /// A body of an answer as a value.
    /// - Throws: `HubClientError` for one that no hub gives.
    func read<Value: Decodable>(_ type: Value.Type, _ data: Data, with decoder: JSONDecoder = JSONDecoder())
        throws(HubClientError) -> Value
    {
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw HubClientError(
                description: "what answers at \(base) is no hub, or one of another version (\(plainWords(of: error)))",
                exitStatus: .failure)
        }
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
