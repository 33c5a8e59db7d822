package import Foundation
package import HubKit

/// A series in a file, read again when the file changes.
package actor FileSeries: WatchedSource {
    package nonisolated let name: String
    private let file: URL
    private let decoder: any PayloadDecoder
    private let settings: SourceSettings
    private let clock: any HubClock
    private let log: HubLog
    private var changed: Date?
    private var series: EnergySeries?
    private var readAt: Date?
    private var fault: (error: PayloadError, since: Date)?
    private var listeners = SourceListeners()

    /// Seconds between two looks at the file.
    private static let lookSeconds = 20.0

    /// Names a file; it is read at `start`.
    /// - Parameters:
    ///   - file: the file.
    ///   - name: the source's name, the file's where none is given.
    ///   - decoder: what reads it: the hub's own form, or a provider's payload.
    ///   - settings: what the decoder must be told.
    ///   - clock: the hub's time.
    ///   - log: where changes of state are said.
    package init(
        _ file: URL, name: String? = nil, decoder: any PayloadDecoder = CommonFormDecoder(), settings: SourceSettings,
        clock: any HubClock, log: HubLog
    ) {
        self.file = file
        self.name = name ?? file.lastPathComponent
        self.decoder = decoder
        self.settings = settings
        self.clock = clock
        self.log = log.labelled("guidance")
    }

    /// Reads a file in the hub's own form or a provider's.
    /// - Throws: `SeriesFault` that names file, slot and remedy, `PayloadError` of a provider's payload, or `HubError` when it can't be read
    ///   at all.
    package static func read(
        _ file: URL, decoder: any PayloadDecoder = CommonFormDecoder(), settings: SourceSettings? = nil
    ) throws -> EnergySeries {
        let data = try SeriesFileCheck.content(of: file)
        if decoder is CommonFormDecoder { return try EnergySeries(json: data, file: file.path) }
        let options = settings?.options(openEndsAt: nil) ?? PayloadOptions()
        return try decoder.series(from: data, options: options, file: file.path)
    }

    package func start() { look() }

    package func run() async {
        while !Task.isCancelled {
            guard (try? await clock.sleep(seconds: Self.lookSeconds)) != nil else { break }
            look()
        }
        listeners.finish()
    }

    /// Reads the file if it is another than at the last look; one that can't be read leaves what was there in force.
    private func look() {
        let stamp = try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        guard stamp == nil || stamp != changed else { return }
        changed = stamp
        let before = fault?.error
        do {
            series = try Self.read(file, decoder: decoder, settings: settings)
            readAt = stamp ?? clock.now
            fault = nil
            if before != nil { log.notice("\(name) gives figures again") }
            listeners.notify()
        } catch {
            let failure =
                error as? PayloadError
                ?? PayloadError(
                    .malformed, plainWords(of: error), remedy: "mend the file; it is read again by itself")
            guard failure != before else { return }
            fault = (failure, fault?.since ?? clock.now)
            log.warning("\(name): \(failure); what it gave before stays in force")
            listeners.notify()
        }
    }

    package func delivery(covering range: Range<Date>) -> Delivery {
        look()
        return Delivery(
            series: series?.clipped(to: range), fetchedAt: readAt, staleSince: fault?.since,
            faults: fault.map { [name: $0.error] } ?? [:])
    }

    package func changes() -> AsyncStream<Void> {
        listeners.add { [weak self] number in Task { await self?.forget(number) } }
    }

    private func forget(_ number: Int) { listeners.forget(number) }

    package func status() -> SourceStatus {
        SourceStatus(
            name: name, provider: "file", kind: settings.side.rawValue, lastFetch: readAt, lastSuccess: readAt,
            staleSince: fault?.since, knownUntil: series?.end, failures: fault == nil ? 0 : 1,
            lastError: fault.map { String(describing: $0.error) })
    }
}
