import Foundation
import Guidance
import HubKit
import Storage
import TestSupport
import Testing

/// A series in a file is judged as one from a provider or a topic, and outlives its file.
@Suite struct FileSeriesTests {
    /// Hourly prices from 09:00 of the bench's day, in the hub's own form.
    private static func text(
        _ values: [Double], kind: String = "price", unit: String = "EUR/kWh",
        from start: String = "2026-02-03T09:00:00Z",
        seconds: Double = 3600
    ) throws -> String {
        let first = try at(start)
        let slots = values.enumerated().map { index, value in
            let times = [0, 1].map { InstantText.text(first.addingTimeInterval(Double(index + $0) * seconds)) }
            return #"{"start":"\#(times[0])","end":"\#(times[1])","value":\#(value)}"#
        }
        return #"{"source":"job","kind":"\#(kind)","unit":"\#(unit)","slots":[\#(slots.joined(separator: ","))]}"#
    }

    private static let good = [0.2, 0.3, 0.25, 0.2]

    /// Writes a file with a time of its own, as a later write has.
    private static func write(_ text: String, _ bench: SourceBench, minute: Double) throws -> URL {
        let file = try bench.folder.write(text, to: "prices.json")
        try FileManager.default.setAttributes(
            [.modificationDate: bench.clock.now.addingTimeInterval(minute * 60)], ofItemAtPath: file.path)
        return file
    }

    private static func source(
        _ file: URL, _ bench: SourceBench, _ store: HubStore, currency: String? = "EUR"
    ) async -> FileSeries {
        let source = FileSeries(
            file, name: "job", settings: SourceSettings(side: .price), currency: currency, store: store,
            clock: bench.clock, log: bench.log.log)
        await source.start()
        return source
    }

    private static func delivery(_ source: some SeriesProvider, _ bench: SourceBench) async -> Delivery {
        await source.delivery(
            covering: bench.clock.now.addingTimeInterval(-86_400)..<bench.clock.now.addingTimeInterval(86_400))
    }

    /// What each of the three ways must refuse, with the kind and the words.
    static let lies: [(text: String, kind: String, words: String)] = {
        do {
            return [
                (try text([25, 26, 27, 28]), "malformed", "above 3"),
                (try text([-30, -30, -30]), "malformed", "above 3"),
                (try text(good, from: "2025-02-03T09:00:00Z"), "malformed", "the series ended at 2025-02-03"),
                (try text(good, from: "2126-02-03T09:00:00Z"), "malformed", "the series begins at 2126-02-03"),
                (try text(Array(repeating: 0.2, count: 400), seconds: 60), "malformed", "values fall on one day"),
                (try text(good, unit: "USD/kWh"), "notASeries", "its prices are in USD, the home's currency is EUR"),
                (try text(good, kind: "carbon", unit: "gCO2/kWh"), "notASeries", "gives carbon, not price"),
                ("sold out", "malformed", "not JSON"), ("", "malformed", ""),
            ]
        } catch { return [] }
    }()

    @Test(arguments: lies)
    func aFileThatLiesIsRefusedAndWhatItGaveStays_G8(text: String, kind: String, words: String) async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let file = try Self.write(Self.text(Self.good), bench, minute: -60)
        let source = await Self.source(file, bench, store)
        #expect(await source.status().lastError == nil)
        await bench.clock.advance(by: 60)
        _ = try Self.write(text, bench, minute: 0)
        let delivery = await Self.delivery(source, bench)
        #expect(delivery.series?.slots.map(\.value) == Self.good)
        #expect(delivery.staleSince == bench.clock.now)
        let status = await source.status()
        #expect(status.lastError?.hasPrefix(kind + ": ") == true, "\(status.lastError ?? "no error")")
        #expect(words.isEmpty || status.lastError?.contains(words) == true, "\(status.lastError ?? "no error")")
        #expect(status.staleSince == bench.clock.now)
        #expect(status.knownUntil == (try at("2026-02-03T13:00:00Z")))
        #expect(bench.log.texts(from: .warning).count == 1)
        _ = try Self.write(Self.text([0.4]), bench, minute: 1)
        #expect(await Self.delivery(source, bench).series?.slots.map(\.value) == [0.4])
        #expect(await source.status().staleSince == nil)
        await store.close()
    }

    /// The same payloads by the other way that a program has.
    @Test(arguments: lies)
    func aTopicSaysTheSame_G8(text: String, kind: String, words: String) async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let (payloads, feed) = AsyncStream.makeStream(of: Data.self)
        let source = TopicSeries(
            "prices", name: "job", decoder: CommonFormDecoder(), settings: SourceSettings(side: .price),
            currency: "EUR",
            feed: OneTopic(payloads: payloads), store: store, clock: bench.clock, log: bench.log.log)
        await source.start()
        let running = Task { await source.run() }
        feed.yield(Data(try Self.text(Self.good).utf8))
        #expect(await eventually { await source.status().knownUntil != nil })
        feed.yield(Data(text.utf8))
        #expect(await eventually { await source.status().lastError != nil })
        let status = await source.status()
        let expected = text.isEmpty ? "guidanceUnavailable" : kind
        #expect(status.lastError?.hasPrefix(expected + ": ") == true, "\(status.lastError ?? "no error")")
        #expect(words.isEmpty || status.lastError?.contains(words) == true, "\(status.lastError ?? "no error")")
        #expect(status.staleSince == bench.clock.now)
        #expect(await Self.delivery(source, bench).series?.slots.map(\.value) == Self.good)
        running.cancel()
        feed.finish()
        _ = await running.value
        await store.close()
    }

    @Test func whatAFileGaveOutlivesTheFileAndARestart() async throws {
        let bench = try SourceBench()
        var store = try await bench.store()
        let file = try Self.write(Self.text(Self.good), bench, minute: -60)
        _ = await Self.source(file, bench, store)
        await store.close()
        try FileManager.default.removeItem(at: file)
        await bench.clock.advance(by: 60)

        store = try await bench.store()
        let kept = await HubStore.keptSources(in: bench.folder.url)
        #expect(kept["job"]?.series != nil)
        let source = await Self.source(file, bench, store)
        let died = bench.clock.now
        #expect(await Self.delivery(source, bench).series?.slots.map(\.value) == Self.good)
        #expect(await source.status().lastError?.contains("the file can't be found") == true)
        await bench.clock.advance(by: 600)
        #expect(await Self.delivery(source, bench).staleSince == died)
        #expect(await source.status().failures == 1)
        // Of another file of that name nothing is known.
        let other = await Self.source(bench.folder.file("other.json"), bench, store)
        #expect(await Self.delivery(other, bench).series == nil)
        #expect(await HubStore.keptSources(in: bench.folder.url)["job"]?.series == nil)
        await store.close()
    }

    @Test func aFolderWithoutAStoreKeepsNothing() async throws {
        let folder = try TemporaryFolder()
        #expect(await HubStore.keptSources(in: folder.url).isEmpty)
        #expect(await HubStore.keptSources(in: folder.file("nosuch")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        _ = try folder.write("no database", to: "offpeak.sqlite")
        #expect(await HubStore.keptSources(in: folder.url).isEmpty)
    }
}

/// The payloads of one topic, from the test's own hand.
private struct OneTopic: TopicFeed {
    let payloads: AsyncStream<Data>

    func payloads(of topic: String) async throws -> AsyncStream<Data> { payloads }
}
