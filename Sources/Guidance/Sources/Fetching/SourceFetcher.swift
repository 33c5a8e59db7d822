import Foundation

/// Asks a provider once: all its requests, one after the other, each read and joined with the others.
struct SourceFetcher: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        /// The figures of all answers together, nil when there are none.
        var series: EnergySeries?
        /// Whether some answer was "not changed since".
        var isUnchanged = false
        /// What went wrong, if anything; figures may be there all the same.
        var failure: PayloadError?
        /// The provider's own word when to come back, with a success too.
        var notBefore: Date?
        /// What to ask "only if it changed" with next time.
        var validators: [String: SourceMemory.Validator] = [:]
    }

    let provider: any SourceProvider
    let settings: SourceSettings
    let key: SourceKey?
    let transport: any SourceTransport
    let token: TokenBox

    /// The requests for a span.
    func requests(_ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] { try provider.requests(settings, ask) }

    /// Sends one request and reads its answer into an outcome.
    /// - Returns: whether to go on with the next request.
    func run(
        _ request: SourceRequest, _ ask: SourceAsk, known: SourceMemory.Validator?, into outcome: inout Outcome
    ) async -> Bool {
        let secret: String?
        do {
            secret = try await self.secret(request, now: ask.now)
        } catch {
            outcome.failure = error
            return false
        }
        do {
            let response = try await send(request, secret, known)
            outcome.notBefore = later(outcome.notBefore, RetryHeaders.pause(response, now: ask.now))
            if response.status == 304 {
                outcome.isUnchanged = true
                outcome.validators[request.address] = known
                return true
            }
            let fresh = try read(response, ask)
            outcome.series = try joined(outcome.series, fresh)
            outcome.validators[request.address] = Self.validator(response)
            return true
        } catch {
            let failure = error.redacting(secret)
            // What is not published for one day may be there for another; a refusal is one for all.
            if failure.kind == .guidanceUnavailable {
                if outcome.failure == nil { outcome.failure = failure }
                return true
            }
            if failure.kind == .permissionDenied { await token.forget() }
            outcome.failure = failure
            return false
        }
    }

    private func joined(_ first: EnergySeries?, _ second: EnergySeries) throws(PayloadError) -> EnergySeries {
        guard let first else { return second }
        guard first.kind == second.kind else {
            throw PayloadError(
                .malformed, "its answers differ in currency or kind", remedy: "tell the currency or the field")
        }
        // Requests come with the most wanted first: what they said goes before what the others say.
        return second.merged(with: first)
    }

    private func send(
        _ request: SourceRequest, _ secret: String?, _ known: SourceMemory.Validator?
    ) async throws(PayloadError) -> SourceResponse {
        var request = request
        if let tag = known?.entityTag { request.headers["If-None-Match"] = tag }
        if let stamp = known?.lastModified { request.headers["If-Modified-Since"] = stamp }
        return try await transport.send(secret.map { request.with(key: $0) } ?? request.withoutKey())
    }

    private func read(_ response: SourceResponse, _ ask: SourceAsk) throws(PayloadError) -> EnergySeries {
        if let failure = RefusedAnswer(provider: provider, settings: settings).failure(response, now: ask.now) {
            throw failure
        }
        let series = try provider.decoder.series(from: response.body, options: provider.options(settings, ask))
        guard series.kind.name == settings.side.rawValue else {
            throw PayloadError(
                .notASeries, "the source gives \(series.kind.name), not \(settings.side.rawValue)",
                remedy: "use it for \(series.kind.name), or tell another field")
        }
        return series
    }

    private static func validator(_ response: SourceResponse) -> SourceMemory.Validator? {
        let tag = response.headers["etag"]
        let stamp = response.headers["last-modified"]
        return tag == nil && stamp == nil ? nil : .init(entityTag: tag, lastModified: stamp)
    }

    private func later(_ first: Date?, _ second: Date?) -> Date? {
        guard let first, let second else { return first ?? second }
        return max(first, second)
    }

    // MARK: - Secrets

    /// What belongs in the place of `{key}`: the key, or the token that it is exchanged for.
    private func secret(_ request: SourceRequest, now: Date) async throws(PayloadError) -> String? {
        guard request.needsKey else { return nil }
        guard let key else {
            if provider.facts.key == .optional { return nil }
            throw PayloadError(
                .permissionDenied, "\(provider.name) needs a key",
                remedy: "put it into a file and name that with key_file"
                    + (provider.facts.keyHint.map { "; \($0)" } ?? ""))
        }
        let text = try key.reveal()
        guard let login = provider.login(settings) else { return text }
        if let held = await token.held(for: text, now: now) { return held }
        let credential = login.credential(text)
        let response: SourceResponse
        do {
            response = try await transport.send(login.request.with(key: credential))
        } catch {
            throw error.redacting(text).redacting(credential)
        }
        let refused = RefusedAnswer(provider: provider, settings: settings).failure(response, now: now)
        if let refused { throw refused.redacting(text).redacting(credential) }
        guard let fresh = login.token(response.body) else {
            throw PayloadError(
                .permissionDenied, "the login gave no token", remedy: "check user and password in the key file")
        }
        await token.hold(fresh, for: text, until: now.addingTimeInterval(login.validSeconds))
        return fresh
    }
}

/// A token in memory, for as long as it is good.
actor TokenBox {
    private var token: (text: String, key: String, until: Date)?

    func held(for key: String, now: Date) -> String? {
        token.flatMap { $0.key == key && $0.until > now ? $0.text : nil }
    }

    func hold(_ text: String, for key: String, until: Date) { token = (text, key, until) }

    func forget() { token = nil }
}

extension PayloadError {
    /// The error without a secret that the other side may have said back.
    func redacting(_ secret: String?) -> PayloadError {
        guard let secret, secret.count >= 4 else { return self }
        var clean = PayloadError(
            kind, Self.clean(what, secret), remedy: Self.clean(remedy, secret), retryAt: retryAt)
        clean.file = file
        return clean
    }

    private static func clean(_ text: String, _ secret: String) -> String {
        text.replacingOccurrences(of: secret, with: "(secret)")
            .replacingOccurrences(of: SourceRequest.encoded(secret), with: "(secret)")
    }
}
