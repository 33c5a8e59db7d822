import Foundation
package import Guidance
package import HubKit
import WebClient

/// The way to providers over HTTP.
package struct WebTransport: SourceTransport {
    private let client: WebClient
    private let limits: WebLimits

    /// Makes a way to providers; connections begin with the first request.
    /// - Parameters:
    ///   - version: the hub's version, for the name it gives itself.
    ///   - totalSeconds: the longest time for one answer.
    ///   - bodyBytes: the longest answer, unpacked.
    /// - Throws: `HubError` when the library can't start.
    package init(version: String, totalSeconds: Double = 40, bodyBytes: Int = 8 << 20) throws(HubError) {
        do {
            client = try WebClient(WebClientConfiguration(userAgent: "offpeak/\(version)", maximumConnections: 8))
        } catch {
            throw HubError(.connection, "HTTP can't be used: \(plainWords(of: error))", retry: .permanent)
        }
        limits = WebLimits(
            connect: .seconds(min(10, totalSeconds)), idle: .seconds(min(20, totalSeconds)),
            total: .seconds(totalSeconds), bodyBytes: bodyBytes)
    }

    package func send(_ request: SourceRequest) async throws(PayloadError) -> SourceResponse {
        var sent = WebRequest(
            request.body == nil ? "GET" : "POST", request.address, body: request.body.map { Array($0.utf8) },
            limits: limits)
        sent.headers["Accept"] = "application/json, text/xml;q=0.9, */*;q=0.5"
        for (name, value) in request.headers { sent.headers[name] = value }
        sent.maximumRedirects = 3
        do {
            let answer = try await client.send(sent)
            let fields = answer.headers.fields.map { ($0.name, $0.value) }
            return SourceResponse(
                status: answer.status, headers: Dictionary(fields) { first, _ in first }, body: Data(answer.body))
        } catch let error as WebClientError {
            throw PayloadError(
                .serviceUnavailable, error.description,
                remedy: error.isTransient ? "nothing; it is asked again by itself" : "check the source's address")
        } catch {
            throw PayloadError(.serviceUnavailable, "the request was ended", remedy: "nothing; it is asked again")
        }
    }
}
