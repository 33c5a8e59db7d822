import Foundation
import WebClient

/// Calls of the hub's HTTP API.
struct HubCalls: Sendable {
    /// The header field by which a program names itself, so that the hub can tell programs on one socket apart.
    static let clientField = "Offpeak-Client"
    /// A hub sends a comment every 15 s on a quiet stream.
    private static let longestSilence = Duration.seconds(60)
    /// Streams stay open, so many of them must not take the place of other calls; the hub itself bounds them.
    private static let connections = 1_024
    /// A year of hourly records with both breakdowns.
    private static let largestAnswer = 32 << 20

    let settings: ClientSettings
    private let web: WebClient

    init(_ settings: ClientSettings) throws(EnergyKitFailure) {
        self.settings = settings
        do {
            web = try WebClient(
                WebClientConfiguration(
                    userAgent: "EnergyKit", maximumConnections: Self.connections,
                    usesProxyOfEnvironment: !settings.place.isOnThisMachine))
        } catch {
            throw EnergyKitFailure(.serviceUnavailable, detail: error.description)
        }
    }

    /// Asks and reads the answer as JSON, patiently.
    /// - Throws: `EnergyKitFailure`, `CancellationError`.
    func call<Answer: Decodable>(
        _ method: String, _ path: String, query: [(String, String)] = [], body: [UInt8]? = nil,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await PatientCall.run(pauses: settings.pauses) {
            let place = settings.place
            var request = try request(method, path, query, at: place)
            request.limits.bodyBytes = Self.largestAnswer
            request.body = body
            if body != nil { request.headers["Content-Type"] = "application/json" }
            let answer: WebResponse
            do {
                answer = try await web.send(request)
            } catch {
                throw HubProblem.failure(error, from: place)
            }
            guard answer.head.isSuccess else { throw HubProblem.failure(answer, from: place) }
            do {
                return try EnergyKitJSON.decoder().decode(type, from: Data(answer.body))
            } catch {
                throw EnergyKitFailure(
                    .serviceUnavailable, detail: "what answers at \(place) is no hub, or one of another version")
            }
        }
    }

    /// Asks for a stream of events, once.
    /// - Throws: `EnergyKitFailure`, `CancellationError`.
    func events(_ path: String, query: [(String, String)]) async throws -> WebEvents {
        let place = settings.place
        var request = try request("GET", path, query, at: place)
        request.headers["Accept"] = "text/event-stream"
        request.limits = .endless(idle: Self.longestSilence)
        do {
            let stream = try await web.stream(request)
            if stream.head.isSuccess, stream.head.contentType == "text/event-stream" {
                return stream.events()
            }
            throw HubProblem.failure(try await stream.collect(limit: 64 << 10), from: place)
        } catch {
            throw HubProblem.failure(error, from: place)
        }
    }

    private func request(
        _ method: String, _ path: String, _ query: [(String, String)], at place: HubAddress
    ) throws -> WebRequest {
        let items = query.map { "\(Self.escaped($0.0))=\(Self.escaped($0.1))" }.joined(separator: "&")
        var headers: WebHeaders = ["Accept": "application/json", Self.clientField: settings.name]
        if let token = try settings.currentToken() { headers["Authorization"] = "Bearer \(token)" }
        return WebRequest(
            method, place.base + "/api/v1" + path + (items.isEmpty ? "" : "?" + items), headers: headers,
            unixSocket: place.socket)
    }

    /// Everything but letters, digits and `-._~` as hexadecimal digits, so that any text stays one value.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
