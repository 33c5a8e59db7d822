import Foundation
import HubKit

/// What an answer means that is not a success.
struct RefusedAnswer {
    let provider: any SourceProvider
    let settings: SourceSettings

    /// The failure behind an answer, nil for one with figures to read.
    func failure(_ response: SourceResponse, now: Date) -> PayloadError? {
        if let own = provider.refusal(response) { return own }
        switch response.status {
        case 200, 203, 206: return nil
        case 201..<300: return .nothing("the answer has status \(response.status) and no figures")
        case 401, 402, 403:
            return said(response, .permissionDenied, "check the key, and what its plan allows")
        case 408: return PayloadError(.serviceUnavailable, "the provider gave up waiting", remedy: "it comes back")
        case 429: return limited(response, now)
        case 404, 410: return told(response) ?? unknownPlace(response)
        case 400..<500: return told(response) ?? unknownPlace(response)
        case 503 where response.headers["retry-after"] != nil: return limited(response, now)
        default:
            return said(response, .serviceUnavailable, "nothing; it is asked again by itself")
        }
    }

    /// Too many requests; the provider may say until when in a header, or in the body in its own form.
    private func limited(_ response: SourceResponse, _ now: Date) -> PayloadError {
        let pause = RetryHeaders.pause(response, now: now)
        if let own = told(response), own.kind == .rateLimitExceeded { return own.waiting(until: pause) }
        return said(response, .rateLimitExceeded, "nothing; it is asked again when it allows").waiting(until: pause)
    }

    /// A failure that the body itself tells in the provider's own form.
    private func told(_ response: SourceResponse) -> PayloadError? {
        do {
            _ = try provider.decoder.series(from: response.body, options: settings.options(openEndsAt: nil))
            return nil
        } catch {
            switch error.kind {
            case .rateLimitExceeded, .permissionDenied, .unsupportedRegion: return error
            case .guidanceUnavailable where !response.body.isEmpty: return error
            default: return nil
            }
        }
    }

    /// A query that the provider does not understand: nearly always its area, product or entity.
    private func unknownPlace(_ response: SourceResponse) -> PayloadError {
        let asked = [
            settings.area.map { "area '\($0)'" }, settings.product.map { "product '\($0)'" },
            settings.entity.map { "entity '\($0)'" },
        ].compactMap(\.self)
        guard !asked.isEmpty else {
            return said(response, .serviceUnavailable, "check the source's address and settings")
        }
        let kind: PayloadError.Kind = settings.entity == nil ? .unsupportedRegion : .argumentNeeded
        return said(response, kind, "check \(asked.joined(separator: " and "))")
    }

    private func said(_ response: SourceResponse, _ kind: PayloadError.Kind, _ remedy: String) -> PayloadError {
        let words = Self.words(of: response.body)
        let text = "the provider answered \(response.status)" + (words.map { " (\($0))" } ?? "")
        return PayloadError(kind, text, remedy: remedy)
    }

    /// A short plain text or the message of a small JSON object; a page of HTML says nothing to a person.
    private static func words(of body: Data) -> String? {
        guard body.count <= 4096 else { return nil }
        let text = String(decoding: body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, !text.hasPrefix("<") else { return nil }
        var found = text
        if body.looksLikeJSON {
            guard let object = try? JSONDecoder().decode(JSONDocument.self, from: body) else { return nil }
            let paths = ["message", "error.message", "error", "detail", "reason", "message.text", "error.error"]
            guard let message = paths.lazy.compactMap({ object.text(at: $0) }).first else { return nil }
            found = message
        }
        let line = found.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return line.isEmpty ? nil : String(line.prefix(160))
    }
}

extension PayloadError {
    /// The same, with the time the provider named, if it named one.
    fileprivate func waiting(until moment: Date?) -> PayloadError {
        PayloadError(kind, what, remedy: remedy, retryAt: moment ?? retryAt)
    }
}

/// Reads when a provider wants to be asked again.
enum RetryHeaders {
    /// The end of the pause that an answer asks for, nil when it asks for none; at most a day, whatever it says.
    static func pause(_ response: SourceResponse, now: Date) -> Date? {
        var seconds: Double?
        if let text = response.headers["retry-after"]?.trimmingCharacters(in: .whitespaces) {
            seconds = Double(text) ?? httpDate(text)?.timeIntervalSince(now)
        }
        for prefix in ["ratelimit", "x-ratelimit"] where seconds == nil {
            guard let left = response.headers["\(prefix)-remaining"].flatMap({ Double($0) }), left <= 0,
                let reset = response.headers["\(prefix)-reset"].flatMap({ Double($0) })
            else { continue }
            // Some say seconds to go, others a moment since 1970.
            seconds = reset > 1e9 ? reset - now.timeIntervalSince1970 : reset
        }
        guard let seconds, seconds.isFinite, seconds > 0 else { return nil }
        return now.addingTimeInterval(min(seconds, 86_400))
    }

    /// `Wed, 21 Oct 2026 07:28:00 GMT` (RFC 9110, section 5.6.7).
    private static func httpDate(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: { " ,".contains($0) }).map(String.init)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
            let month = months.firstIndex(of: parts[2]), let civil = CivilDay(year: year, month: month + 1, day: day)
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3 else { return nil }
        return Date(
            timeIntervalSince1970: Double(civil.daysSince1970 * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]))
    }
}
