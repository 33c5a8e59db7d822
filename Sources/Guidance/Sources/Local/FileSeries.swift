package import Foundation
package import HubKit
package import Storage

/// A series in a file, read again when the file changes.
///
/// What it held last, and was believed, stays in force until its slots end and over a restart, whatever becomes of the file.
package actor FileSeries: WatchedSource {
    package nonisolated let name: String
    package nonisolated let shelfName: String
    private let file: URL
    private let decoder: any PayloadDecoder
    private let settings: SourceSettings
    private let currency: String?
    private let shelf: SourceShelf
    private let clock: any HubClock
    private let log: HubLog
    private var changed: Date?
    private var memory: SourceMemory
    private var kept = KeptSeries()
    private var listeners = SourceListeners()

    /// Seconds between two looks at the file.
    private static let lookSeconds = 20.0

    /// Names a file; it is read at `start`.
    /// - Parameters:
    ///   - file: the file.
    ///   - name: the source's name; the file's, for the only file of a home, where none is given.
    ///   - decoder: what reads it: the hub's own form, or a provider's payload.
    ///   - settings: what the decoder must be told.
    ///   - currency: the currency of the homes that take its prices, nil where that is not one.
    ///   - store: where memory and figures are kept.
    ///   - clock: the hub's time.
    ///   - log: where changes of state are said.
    package init(
        _ file: URL, name: String? = nil, decoder: any PayloadDecoder = CommonFormDecoder(), settings: SourceSettings,
        currency: String? = nil, store: HubStore, clock: any HubClock, log: HubLog
    ) {
        self.file = file
        self.name = name ?? file.lastPathComponent
        shelfName = Self.shelfName(file, name: name)
        self.decoder = decoder
        self.settings = settings
        self.currency = currency
        self.clock = clock
        self.log = log.labelled("guidance")
        shelf = SourceShelf(name: shelfName, store: store, log: log.labelled("guidance"))
        memory = SourceMemory(fingerprint: Self.fingerprint(file, decoder: decoder, settings: settings))
    }

    /// What a file's figures are kept under; homes may have files of the same name in different folders.
    package static func shelfName(_ file: URL, name: String?) -> String { name ?? "file \(file.path)" }

    /// A text that is another when the file's figures mean something else.
    package static func fingerprint(
        _ file: URL, decoder: any PayloadDecoder = CommonFormDecoder(), settings: SourceSettings
    ) -> String { "file|\(file.path)|\(decoder.name)|" + settings.fingerprint }

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

    package func start() async {
        (memory, kept) = await shelf.load(fingerprint: memory.fingerprint)
        // What is wrong now is to be seen now; since when stays.
        (memory.fault, memory.failures) = (nil, 0)
        await look()
    }

    package func run() async {
        while !Task.isCancelled {
            guard (try? await clock.sleep(seconds: Self.lookSeconds)) != nil else { break }
            await look()
        }
        listeners.finish()
    }

    /// Reads the file if it is another than at the last look; one that can't be read or believed leaves what was there in force.
    private func look() async {
        let stamp = try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        guard stamp == nil || stamp != changed else { return }
        changed = stamp
        let now = clock.now
        let before = memory.fault
        var isChanged = false
        do throws(PayloadError) {
            let fresh = try content()
            guard fresh.kind.name == settings.side.rawValue else {
                throw .otherSide("file", fresh.kind.name, settings.side)
            }
            try fresh.checkIsUsable(currency: currency, now: now)
            isChanged = kept.replace(with: fresh)
            memory.succeededAt = stamp ?? now
            (memory.fault, memory.staleSince, memory.failures) = (nil, nil, 0)
            if before != nil { log.notice("\(name) gives figures again") }
        } catch {
            let fault = SourceMemory.Fault(error)
            guard fault != before else { return }
            memory.failures += 1
            memory.staleSince = memory.staleSince ?? now
            memory.fault = fault
            let rest = kept.series == nil ? "nothing is known of it" : "what it gave before stays in force"
            log.warning("\(name): \(plainWords(of: error)); \(rest)")
        }
        memory.attemptedAt = now
        await shelf.keep(memory, isChanged ? kept : nil)
        if isChanged || before != memory.fault { listeners.notify() }
    }

    /// The figures in the file.
    private func content() throws(PayloadError) -> EnergySeries {
        do {
            return try Self.read(file, decoder: decoder, settings: settings)
        } catch let error as PayloadError {
            throw error
        } catch let fault as SeriesFault {
            let place = fault.index.map { "slot \($0): " } ?? ""
            throw PayloadError(.malformed, "\(file.path): \(place)\(fault.what)", remedy: fault.remedy)
        } catch {
            let words = plainWords(of: error).replacing("\(file.path):1:1: error: ", with: "")
            let parts = words.split(separator: "; ", maxSplits: 1).map(String.init)
            throw PayloadError(
                .malformed, "\(file.path): \(parts.first ?? words)", remedy: parts.dropFirst().first ?? "mend the file")
        }
    }

    package func delivery(covering range: Range<Date>) async -> Delivery {
        await look()
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
            name: name, provider: "file", kind: settings.side.rawValue, lastFetch: memory.attemptedAt,
            lastSuccess: memory.succeededAt, staleSince: memory.staleSince, knownUntil: kept.end,
            failures: memory.failures, lastError: memory.fault.map { "\($0.kind): \($0.text)" })
    }
}
