package import Foundation
package import HubKit
package import MQTT

/// The topics of one device at a broker: the newest message of each, with its age.
package actor MessageWire: ProfileWire {
    private let profile: DeviceProfile
    private let topics: ProfileTopics
    private let client: MQTTClient
    private let clock: any HubClock
    private let zone: TimeZone
    /// How long the first reading waits for what the device has not said yet, in real time.
    private let patience: Duration
    private let reader: FieldReader
    private let traffic: TrafficTap?
    private var documents: [String: FieldDocument] = [:]
    private var isThere: Bool?
    private var listening: [Task<Void, Never>] = []
    private var hasWaited = false
    private var hasWaitedForBroker = false
    private var arrival: AsyncStream<Void>.Continuation?
    private var askedAt: [String: Date] = [:]

    /// Listens to nothing yet.
    /// - Parameters:
    ///   - profile: the profile with its topic and parameters filled in.
    ///   - topics: what it says of topics.
    ///   - client: the broker.
    ///   - clock: the hub's time.
    ///   - zone: the zone of times without an offset.
    ///   - patience: how long the first reading waits for messages.
    ///   - traffic: hears what is said.
    package init(
        _ profile: DeviceProfile, _ topics: ProfileTopics, client: MQTTClient, clock: any HubClock, zone: TimeZone,
        patience: Duration, traffic: TrafficTap? = nil
    ) {
        self.profile = profile
        self.topics = topics
        self.client = client
        self.clock = clock
        self.zone = zone
        self.patience = patience
        self.traffic = traffic
        reader = FieldReader(profile)
    }

    deinit { for task in listening { task.cancel() } }

    package func points() -> [ProfilePoint] { reader.templates }

    // MARK: - Listening

    private func listen() async throws {
        guard listening.isEmpty else { return }
        var tasks: [Task<Void, Never>] = []
        do {
            if let presence = topics.alive {
                tasks.append(
                    try await follow(presence.topic) { wire, message in await wire.take(message, as: presence) })
            }
            for spec in topics.messages {
                tasks.append(try await follow(spec.topic) { wire, message in await wire.take(message, as: spec) })
            }
        } catch {
            for task in tasks { task.cancel() }
            throw error
        }
        // Another call may have been quicker.
        guard listening.isEmpty else {
            for task in tasks { task.cancel() }
            return
        }
        listening = tasks
    }

    private func follow(
        _ topic: String, _ take: @escaping @Sendable (MessageWire, MQTTMessage) async -> Void
    ) async throws -> Task<Void, Never> {
        let stream = try await client.messages(matching: topic, bufferingNewest: 8)
        return Task { [weak self] in
            for await message in stream {
                guard let self else { return }
                self.hear(message, isOwn: false)
                await take(self, message)
            }
        }
    }

    private nonisolated func hear(_ message: MQTTMessage, isOwn: Bool) {
        guard let traffic else { return }
        // More than a device has to say is no use to anyone.
        let payload = String(decoding: message.payload.prefix(FieldDocument.maximumBytes), as: UTF8.self)
        traffic.hear(RecordedExchange(.init(message.topic, payload, isRetained: message.isRetained, isOwn: isOwn)))
    }

    private func take(_ message: MQTTMessage, as presence: ProfilePresence) {
        let word = FieldDocument(message.payload, at: clock.now).value(at: presence.path.flatMap { JSONPath($0) })
        isThere = word?.plainText.map { presence.online.contains($0) }
        arrival?.yield()
    }

    /// What the broker kept is only as new as it says itself; without a time it counts where the profile says that it
    /// holds, and nowhere else: it may be of last week.
    private func take(_ message: MQTTMessage, as spec: ProfileMessage) {
        // An empty payload takes a kept message away, and is no message.
        guard !message.payload.isEmpty || !message.isRetained else { return }
        var document = FieldDocument(message.payload, at: clock.now)
        if message.isRetained, !spec.holds {
            let path = spec.time.flatMap { JSONPath($0) }
            guard let path, let said = DeviceTime.date(document.json?.value(at: path), in: zone) else { return }
            document.at = min(said, document.at)
        }
        if let known = documents[spec.name], message.isRetained, known.at >= document.at { return }
        documents[spec.name] = document
        arrival?.yield()
    }

    /// Once, after the start: until the broker is there, or patience ends.
    private func waitForBroker() async {
        guard !hasWaitedForBroker else { return }
        hasWaitedForBroker = true
        guard await client.state != .connected else { return }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let (client, patience) = (client, patience)
        let watching = Task {
            for await state in await client.states() where state == .connected { break }
            end.finish()
        }
        let alarm = Task {
            try? await Task.sleep(for: patience)
            end.finish()
        }
        for await _ in ends {}
        watching.cancel()
        alarm.cancel()
    }

    /// At the first reading: until every message came that is needed, or patience ends.
    private func waitForFirstMessages() async {
        guard !hasWaited else { return }
        hasWaited = true
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.arrival = arrival
        let patience = patience
        let alarm = Task {
            try? await Task.sleep(for: patience)
            arrival.finish()
        }
        if !isComplete { for await _ in arrivals where isComplete { break } }
        alarm.cancel()
        self.arrival = nil
    }

    private var isComplete: Bool {
        isThere == false
            || topics.messages.allSatisfy { documents[$0.name] != nil || $0.isOptional }
                && (topics.alive == nil || isThere != nil)
    }

    // MARK: - Reading

    package func read() async throws -> ProfileSession.Values {
        try await listen()
        await waitForBroker()
        if await client.state == .connected {
            try await ask()
            await waitForFirstMessages()
        }
        try await checkPresence()
        let now = clock.now
        let sources = sources(at: now)
        let said = topics.messages.compactMap { spec -> Date? in
            guard case .document(let document)? = sources[spec.name] else { return nil }
            return spec.holds ? now : document.at
        }
        guard let newest = said.max() else { throw silence(at: now) }
        var values = reader.values(sources) { name in topics.messages.first { $0.name == name }?.topic ?? name }
        values.saidAt = newest
        return values
    }

    private func checkPresence() async throws {
        guard await client.state == .connected else {
            // What changes meanwhile is not heard; it is said again, or kept by the broker.
            for spec in topics.messages where spec.holds { documents[spec.name] = nil }
            throw HubError(
                .connection, "there is no connection to the broker \(client.configuration); it is made again by itself",
                retry: .transient)
        }
        if isThere == false, let presence = topics.alive {
            throw HubError(.device, "the device says at \(presence.topic) that it is not there", retry: .transient)
        }
    }

    private func sources(at now: Date) -> [String: FieldReader.Source] {
        var sources: [String: FieldReader.Source] = [:]
        for spec in topics.messages {
            guard let document = documents[spec.name] else {
                sources[spec.name] = .nothing("has said nothing yet", isExpected: spec.isOptional)
                continue
            }
            let age = now.timeIntervalSince(document.at)
            // A clock that was set back leaves messages of the future, whose age nobody knows.
            sources[spec.name] =
                spec.holds || (-1...spec.staleSeconds).contains(age)
                ? .document(document)
                : .nothing("is silent since \(Self.text(document.at))", isExpected: spec.isOptional)
        }
        return sources
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    private func silence(at now: Date) -> HubError {
        let names = topics.messages.map(\.topic).joined(separator: ", ")
        let last = documents.values.map(\.at).max()
        let when = last.map { "since \(Self.text($0))" } ?? "yet"
        return HubError(
            .device, "nothing was said at \(names) \(when); check the topic and that the device publishes",
            retry: .transient)
    }

    /// Asks for what is not said by itself.
    private func ask() async throws {
        let now = clock.now
        for spec in topics.messages {
            guard let question = spec.ask else { continue }
            let last = max(documents[spec.name]?.at ?? .distantPast, askedAt[spec.name] ?? .distantPast)
            guard now.timeIntervalSince(last) >= question.everySeconds || last > now else { continue }
            askedAt[spec.name] = now
            try await client.publish(question.payload, to: question.topic)
            hear(MQTTMessage(topic: question.topic, text: question.payload, isRetained: false), isOwn: true)
        }
    }

    package func values(of names: Set<String>) async throws -> [String: PointValue] {
        try await read().points.filter { names.contains($0.key) }
    }

    package func touch() async throws { _ = try await read() }

    package func inspected(_ values: ProfileSession.Values) -> [InspectedPoint] {
        reader.inspected(values, topics.messages.map { ($0.name, $0.topic, documents[$0.name]) }, at: clock.now)
    }

    // MARK: - Publishing

    package func perform(_ actions: [ProfileAction], argument: Double, values: [String: PointValue]) async throws {
        let messages = try actions.map { action throws(HubError) in
            guard case .send(let sending) = action, case .topic(let topic, let isRetained) = sending.place else {
                throw HubError(.refused, "the profile \(profile.name) has a step that is no message")
            }
            let number = number(of: sending.value, argument: argument, values: values)
            let text = try FieldCoding.text(of: number, for: sending, profile.name)
            let payload = TextTemplate(sending.payload ?? "").filled(text.map { ["value": $0] } ?? [:])
            return MQTTMessage(topic: topic, text: payload, isRetained: isRetained)
        }
        try await listen()
        await waitForBroker()
        // A message for later would come when nobody wants it any more; the driver tries again by itself.
        try await checkPresence()
        for message in messages {
            try await client.publish(message)
            hear(message, isOwn: true)
        }
    }
}

extension MQTTError: RetryableError {
    package var retryClass: RetryClass {
        switch self {
        case .notConnected, .connectionLost, .bufferFull, .closed: .transient
        // Too many messages for now, as the broker says.
        case .publishRefused(_, 0x97, _): .transient
        case .encryption, .encryptionBroken, .refused, .subscriptionRefused, .publishRefused: .needsPerson
        case .invalidTopic, .payloadTooLarge, .invalidConfiguration: .permanent
        }
    }
}
