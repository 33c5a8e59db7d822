import Foundation
import HubKit
import WebClient

/// What an answer to events that were sent by HTTP means for them.
///
/// | answer | the events |
/// |---|---|
/// | 2xx | have arrived |
/// | 408, 421, 425, 429, 5xx, anything that is no status | are kept and tried again, not before `Retry-After` |
/// | 3xx, 401, 403, 404, 405, 407, 410 | are kept until a person mends address, credential or the other side |
/// | 400, 413, 422 and every other 4xx | are refused for good: one of them can't be taken |
struct HTTPVerdict {
    /// Who answers, for texts.
    let name: String
    /// The hub's time, in which a moment to wait for is told.
    let now: Date

    private static let passing: Set = [408, 421, 425, 429]
    private static let misdirected: Set = [401, 403, 404, 405, 407, 410]

    /// - Throws: `HubError` unless the events have arrived.
    func judge(_ answer: WebResponse, sentAt unixSeconds: Int) throws(HubError) {
        let status = answer.status
        if (200..<300).contains(status) { return }
        let text = "\(name) answered \(status)\(Self.excerpt(answer))"
        switch status {
        case 300..<400:
            throw HubError(.connection, "\(text); give the address it leads to", retry: .needsPerson)
        case _ where Self.misdirected.contains(status):
            throw HubError(
                .connection, "\(text); mend the address or the credential", retry: .needsPerson)
        case 400..<500 where !Self.passing.contains(status):
            throw HubError(.refused, text, retry: .permanent)
        default:
            guard let wait = answer.head.retryAfter(now: unixSeconds) else {
                throw HubError(
                    .connection, text, retry: status == 429 ? .rateLimited(until: nil) : .transient)
            }
            let until = now.addingTimeInterval(wait / .seconds(1))
            throw HubError(.connection, text, retry: .rateLimited(until: until))
        }
    }

    /// What to do where there was no answer.
    func failure(_ error: WebClientError) -> HubError {
        let retry: RetryClass =
            switch error {
            case .invalidRequest, .tlsFailed: .needsPerson
            default: .transient
            }
        return HubError(.connection, "\(name) did not take load events: \(plainWords(of: error))", retry: retry)
    }

    /// The beginning of what the other side says, in one line.
    private static func excerpt(_ answer: WebResponse) -> String {
        let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
        let line = String(
            text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : Character($0) }
        )
        .trimmingCharacters(in: .whitespaces)
        return line.isEmpty ? "" : ": \(line)"
    }
}
