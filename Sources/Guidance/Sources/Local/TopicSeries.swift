package import Foundation
package import HubKit
package import Storage

/// The payloads of MQTT topics; the room that has a broker brings it.
package protocol TopicFeed: Sendable {
    /// Every payload of a topic, a retained one at first; ends when the broker's client is closed.
    /// - Throws: when the topic can't be subscribed to.
    func payloads(of topic: String) async throws -> AsyncStream<Data>
}

/// A series that some program publishes on an MQTT topic, whole or in parts.
package actor TopicSeries: WatchedSource {
    package nonisolated let name: String
    private let topic: String
    private let decoder: any PayloadDecoder
    private let settings: SourceSettings
    private let currency: String?
    private let feed: any TopicFeed
    private let shelf: SourceShelf
    private let clock: any HubClock
    private let log: HubLog
    private var memory: SourceMemory
    private var kept = KeptSeries()
    private var listeners = SourceListeners()

    /// Names a topic; it is subscribed to at `run`.
    /// - Parameters:
    ///   - topic: the topic.
    ///   - name: the source's name.
    ///   - decoder: what reads a payload.
    ///   - settings: what the decoder must be told.
    ///   - currency: the currency of the homes that take its prices, nil where that is not one.
    ///   - feed: the way to the broker.
    ///   - store: where memory and figures are kept.
    ///   - clock: the hub's time.
    ///   - log: where changes of state are said.
    package init(
        _ topic: String, name: String, decoder: any PayloadDecoder, settings: SourceSettings,
        currency: String? = nil, feed: any TopicFeed,
        store: HubStore, clock: any HubClock, log: HubLog
    ) {
        self.topic = topic
        self.name = name
        self.decoder = decoder
        self.settings = settings
        self.currency = currency
        self.feed = feed
        self.clock = clock
        self.log = log.labelled("guidance")
        shelf = SourceShelf(name: name, store: store, log: log.labelled("guidance"))
        memory = SourceMemory(fingerprint: "topic|\(topic)|\(decoder.name)|" + settings.fingerprint)
    }

    package func start() async { (memory, kept) = await shelf.load(fingerprint: memory.fingerprint) }

    package func run() async {
        while !Task.isCancelled {
            do {
                for await payload in try await feed.payloads(of: topic) { await take(payload) }
            } catch {
                log.warning("the topic \(topic) can't be subscribed to: \(plainWords(of: error))")
            }
            guard (try? await clock.sleep(seconds: 60)) != nil else { break }
        }
        listeners.finish()
    }

    private func take(_ payload: Data) async {
        let now = clock.now
        memory.attemptedAt = now
        let before = memory.fault
        var isChanged = false
        do throws(PayloadError) {
            let fresh = try decoder.series(from: payload, options: settings.options(openEndsAt: nil))
            guard fresh.kind.name == settings.side.rawValue else {
                throw .otherSide("topic", fresh.kind.name, settings.side)
            }
            isChanged = try kept.take(fresh, currency: currency, now: now)
            memory.succeededAt = now
            (memory.fault, memory.staleSince, memory.failures) = (nil, nil, 0)
            if before != nil { log.notice("the topic \(topic) gives figures again") }
        } catch {
            memory.failures += 1
            memory.staleSince = memory.staleSince ?? now
            memory.fault = .init(error)
            if before?.kind != memory.fault?.kind {
                log.warning("the topic \(topic): \(plainWords(of: error)); what it gave before stays in force")
            }
        }
        await shelf.keep(memory, isChanged ? kept : nil)
        if isChanged || before != memory.fault { listeners.notify() }
    }

    package func delivery(covering range: Range<Date>) -> Delivery {
        var faults: [String: PayloadError] = [:]
        if let fault = memory.fault, let kind = PayloadError.Kind(rawValue: fault.kind) {
            faults[name] = PayloadError(kind, fault.what, remedy: fault.remedy)
        }
        return Delivery(
            series: kept.series?.clipped(to: range), fetchedAt: memory.succeededAt, staleSince: memory.staleSince,
            faults: faults)
    }

    package func changes() -> AsyncStream<Void> {
        listeners.add { [weak self] number in Task { await self?.forget(number) } }
    }

    private func forget(_ number: Int) { listeners.forget(number) }

    package func status() -> SourceStatus {
        SourceStatus(
            name: name, provider: "mqtt", kind: settings.side.rawValue, lastFetch: memory.attemptedAt,
            lastSuccess: memory.succeededAt, staleSince: memory.staleSince, knownUntil: kept.end,
            failures: memory.failures, lastError: memory.fault.map { "\($0.kind): \($0.text)" })
    }
}
