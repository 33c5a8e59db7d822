import EnergyKit
import Foundation
import HubKit
import WebClient

/// Why the running hub did not answer.
struct HubClientError: Error, CustomStringConvertible {
    let description: String
    let exitStatus: ExitStatus
}

/// Asks the running hub, over HTTP or its unix socket.
struct HubClient {
    private let settings: ClientSettings
    private let place: HubAddress
    private let web: WebClient

    /// Reads where the hub is, from the same variables as programs that use EnergyKit.
    /// - Throws: `HubClientError` when `OFFPEAK_URL` is no address of a hub.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(HubClientError) {
        do throws(EnergyKitFailure) {
            settings = try ClientSettings(environment: environment)
        } catch {
            throw HubClientError(description: error.detail, exitStatus: .usage)
        }
        place = settings.place
        do throws(WebClientError) {
            web = try WebClient(
                WebClientConfiguration(userAgent: "offpeak", usesProxyOfEnvironment: !settings.place.isOnThisMachine))
        } catch {
            throw HubClientError(description: error.description, exitStatus: .failure)
        }
    }

    /// How long a hub may say nothing at all; a person waits.
    private static let patience = Duration.seconds(10)

    private static func words(of limit: WebClientError.Limit) -> String {
        switch limit {
        case .connect:
            "no connection came about within \(patience.components.seconds) s; is the address right, and http or https?"
        case .idle:
            "what listens there did not answer within \(patience.components.seconds) s; is the hub stopped, or busy?"
        case .total: "the answer took too long; ask for less, or try again"
        }
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
                description: "what answers at \(place) is no hub, or one of another version (\(plainWords(of: error)))",
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
        var request = WebRequest(
            method, place.base + "/api/v1" + path, headers: ["Accept": "application/json"], unixSocket: place.socket)
        request.body = method == "GET" ? nil : body.map { Array($0) } ?? []
        if body != nil { request.headers["Content-Type"] = "application/json" }
        request.limits = WebLimits(connect: HubClient.patience, idle: HubClient.patience, bodyBytes: 64 << 20)
        request.maximumRedirects = 3
        let answer: WebResponse
        do {
            if let token = try settings.currentToken() { request.headers["Authorization"] = "Bearer \(token)" }
            answer = try await web.send(request)
        } catch let error as EnergyKitFailure {
            throw HubClientError(description: error.detail, exitStatus: .refused)
        } catch let error as WebClientError where !error.isTransient {
            throw HubClientError(description: "\(place): \(error)", exitStatus: .failure)
        } catch WebClientError.timedOut(let limit) {
            throw HubClientError(description: "\(place): \(HubClient.words(of: limit))", exitStatus: .tryLater)
        } catch {
            throw HubClientError(
                description:
                    "no hub answers at \(place); start one with 'offpeak run', or say where it is with OFFPEAK_URL",
                exitStatus: .tryLater)
        }
        let data = Data(answer.body)
        guard answer.head.isSuccess else {
            let problem = try? JSONDecoder().decode(Problem.self, from: data)
            throw HubClientError(
                description: problem?.detail ?? "the hub at \(place) answered \(answer.status)",
                exitStatus: answer.status >= 500 || answer.status == 429 ? .tryLater : .refused)
        }
        return data
    }
}
