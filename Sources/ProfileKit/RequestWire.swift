package import Foundation
package import HubKit
package import WebClient

/// The HTTP requests of one device, one at a time.
package actor RequestWire: ProfileWire {
    private let profile: DeviceProfile
    private let requests: ProfileRequests
    private let address: DeviceAddress
    private let client: WebClient
    /// Lets one request go on at a time at the address, which other devices may share.
    private let turn: Turn
    private let clock: any HubClock
    private let zone: TimeZone
    private let reader: FieldReader
    private let traffic: TrafficTap?
    private var documents: [String: FieldDocument] = [:]
    private var fetchedAt: [String: Date] = [:]

    /// Sends nothing yet.
    /// - Parameters:
    ///   - profile: the profile with its parameters filled in.
    ///   - requests: what it says of requests.
    ///   - address: where the device is, and who asks.
    ///   - client: what sends.
    ///   - turn: what keeps requests to one address apart.
    ///   - clock: the hub's time.
    ///   - zone: the zone of times without an offset.
    ///   - traffic: hears what is said.
    package init(
        _ profile: DeviceProfile, _ requests: ProfileRequests, at address: DeviceAddress, client: WebClient, turn: Turn,
        clock: any HubClock, zone: TimeZone, traffic: TrafficTap? = nil
    ) {
        self.profile = profile
        self.requests = requests
        self.address = address
        self.client = client
        self.turn = turn
        self.clock = clock
        self.zone = zone
        self.traffic = traffic
        reader = FieldReader(profile)
    }

    package func points() -> [ProfilePoint] { reader.templates }

    // MARK: - Reading

    /// Sends every request that is due; one that fails leaves its values out, and all together fail the reading.
    package func read() async throws -> ProfileSession.Values {
        var failures: [String: any Error] = [:]
        for request in requests.requests {
            do {
                try await fetch(request)
            } catch {
                if error is CancellationError { throw error }
                documents[request.name] = nil
                fetchedAt[request.name] = nil
                failures[request.name] = error
            }
        }
        if documents.isEmpty, let first = requests.requests.compactMap({ failures[$0.name] }).first { throw first }
        let sources = sources(failures, at: clock.now)
        return reader.values(sources) { name in requests.requests.first { $0.name == name }?.path ?? name }
    }

    private func fetch(_ request: ProfileRequest) async throws {
        if let every = request.everySeconds, documents[request.name] != nil, let last = fetchedAt[request.name],
            (0..<every).contains(clock.now.timeIntervalSince(last))
        {
            return
        }
        let response = try await send(request.method, request.path, body: request.body, mediaType: nil)
        let now = clock.now
        let document = FieldDocument(response.body, at: now)
        if let answer = request.answer { try check(document, answer, request.path) }
        if let fault = document.fault, needsJSON(request.name) {
            let type = response.head.contentType
            let kind = type.isEmpty || type == "application/json" ? "" : " but \(type)"
            throw HubError(
                .device, "the answer to \(request.path) \(fault)\(kind); check address and firmware", retry: .transient)
        }
        documents[request.name] = document
        fetchedAt[request.name] = now
    }

    private func needsJSON(_ name: String) -> Bool {
        profile.fieldPoints.contains { $0.source == name && $0.path != nil }
    }

    private func sources(_ failures: [String: any Error], at now: Date) -> [String: FieldReader.Source] {
        var sources: [String: FieldReader.Source] = [:]
        for request in requests.requests {
            if let error = failures[request.name] {
                sources[request.name] = .nothing("gave nothing: \(plainWords(of: error))", isExpected: false)
            } else if let document = documents[request.name] {
                let path = request.time.flatMap { JSONPath($0) }
                let said = path.flatMap { DeviceTime.date(document.json?.value(at: $0), in: zone) }
                sources[request.name] =
                    said.map { now.timeIntervalSince($0) <= request.staleSeconds } ?? true
                    ? .document(document)
                    : .nothing("gives values of \(said?.formatted(.iso8601) ?? "long ago")", isExpected: false)
            }
        }
        return sources
    }

    package func values(of names: Set<String>) async throws -> [String: PointValue] {
        try await read().points.filter { names.contains($0.key) }
    }

    package func touch() async throws {
        guard let first = requests.requests.first else { return }
        _ = try await send(first.method, first.path, body: first.body, mediaType: nil)
    }

    package func inspected(_ values: ProfileSession.Values) -> [InspectedPoint] {
        let documents = requests.requests.map { request in
            (name: request.name, place: "\(request.method) \(request.path)", document: self.documents[request.name])
        }
        return reader.inspected(values, documents, at: clock.now)
    }

    // MARK: - Commands

    package func perform(_ actions: [ProfileAction], argument: Double, values: [String: PointValue]) async throws {
        let steps = try actions.map { action throws(HubError) in
            guard case .send(let sending) = action, case .request(let method, let path) = sending.place else {
                throw HubError(.refused, "the profile \(profile.name) has a step that is no request")
            }
            let number = number(of: sending.value, argument: argument, values: values)
            let text = try FieldCoding.text(of: number, for: sending, profile.name)
            let fill = text.map { ["value": $0] } ?? [:]
            return (
                sending, method, TextTemplate(path).filled(fill), sending.payload.map { TextTemplate($0).filled(fill) }
            )
        }
        for (sending, method, path, body) in steps {
            let response = try await send(method, path, body: body, mediaType: sending.mediaType)
            if let answer = sending.answer { try check(FieldDocument(response.body, at: clock.now), answer, path) }
        }
    }

    // MARK: - Sending

    private func send(
        _ method: String, _ path: String, body: String?, mediaType: String?
    ) async throws -> WebResponse {
        var request = WebRequest(method, address.base + path, body: body.map { Array($0.utf8) })
        for (name, value) in requests.headers { request.headers[name] = value }
        if body != nil { request.headers["Content-Type"] = mediaType ?? "application/json" }
        request.pinnedKey = address.pinnedKey
        logIn(&request)
        let limit = Duration.milliseconds(requests.timeoutMilliseconds)
        request.limits = WebLimits(connect: limit, idle: limit, total: limit, bodyBytes: FieldDocument.maximumBytes)
        await turn.take()
        defer { turn.give() }
        try Task.checkCancellation()
        var exchange = RecordedExchange.Request(method, path, body: body)
        let response: WebResponse
        do {
            response = try await client.send(request)
            exchange.hear(response)
            traffic?.hear(RecordedExchange(exchange))
        } catch let error as WebClientError {
            exchange.failure = plainWords(of: error)
            traffic?.hear(RecordedExchange(exchange))
            throw HubError(
                .connection, "\(request): \(plainWords(of: error))",
                retry: error.isTransient ? .transient : .needsPerson)
        }
        guard response.head.isSuccess else { throw refusal(response, method, path) }
        return response
    }

    private func logIn(_ request: inout WebRequest) {
        let login = requests.logins.first { address.fits($0) } ?? .none
        switch login {
        case .none: break
        case .basic:
            let pair = "\(address.user ?? ""):\(address.password ?? "")"
            request.headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
        case .digest:
            request.digest = WebDigest(user: address.user ?? "", password: address.password ?? "")
        case .bearer: request.headers["Authorization"] = "Bearer \(address.token ?? "")"
        case .token: request.headers["Authorization"] = address.token ?? ""
        }
    }

    private func refusal(_ response: WebResponse, _ method: String, _ path: String) -> HubError {
        let status = response.status
        let advice =
            requests.errors[status]
            ?? [
                401: "check the user, password or token of its connection",
                403: "check that the device lets the hub do this",
                404: "check the profile, its parameters and firmware",
            ][status] ?? redirection(response)
        let text = "\(method) \(path) was answered with \(status)" + (advice.map { "; \($0)" } ?? "")
        switch status {
        case 401, 403: return HubError(.device, text, retry: .needsPerson)
        case 408, 425, 429, 500...599: return HubError(.device, text, retry: .transient)
        default: return HubError(.device, text, retry: .permanent)
        }
    }

    /// Where a redirection leads: it is not followed, since a login would go there too.
    private func redirection(_ response: WebResponse) -> String? {
        guard (300..<400).contains(response.status), let location = response.head.headers["Location"] else {
            return nil
        }
        // Its query may have a secret.
        let target = location.prefix { $0 != "?" && $0 != "#" }.filter { !$0.isNewline && $0 >= " " }.prefix(200)
        return
            "it sends on to \(target), where the hub does not follow; give the address at which it answers itself as "
            + "'url' of its connection"
    }

    /// A device may say "no" with a status that says "yes".
    private func check(_ document: FieldDocument, _ answer: ProfileAnswer, _ path: String) throws(HubError) {
        let value = document.value(at: JSONPath(answer.path))?.plainText
        if let value, answer.values.contains(value) { return }
        let said = value.map { "says '\($0.prefix(160))'" } ?? "does not say '\(answer.path)'"
        throw HubError(.device, "the answer to \(path.prefix { $0 != "?" }) \(said)", retry: .transient)
    }
}

extension RecordedExchange.Request {
    /// Takes up the answer.
    fileprivate mutating func hear(_ response: WebResponse) {
        status = response.status
        type = response.head.contentType
        answer = String(decoding: response.body, as: UTF8.self)
    }
}
