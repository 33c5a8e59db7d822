import Feeds
import Foundation
import Guidance
import HubKit
import Storage
import TestSupport
import Testing
import WebServer

@Suite struct SeriesSourceTests {
    private static let day = Date(timeIntervalSince1970: 1_770_073_200)  // 2026-02-02T23:00:00Z, midnight in Berlin

    @Test func theLastGoodFiguresOutliveARestartAndADeadProvider() async throws {
        let bench = try SourceBench()
        var store = try await bench.store()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24) }
        var source = try await bench.source(at: server.address, store)
        await source.fetch()
        let fetched = bench.clock.now
        await server.stop()
        await store.close()

        await bench.clock.advance(by: 3 * 3600)
        store = try await bench.store()
        source = try await bench.source(at: server.address, store)
        #expect(await bench.delivery(source).series?.slots.count == 24)
        #expect(await source.status().staleSince == nil)
        await source.fetch()
        let died = bench.clock.now
        let delivery = await bench.delivery(source)
        #expect(delivery.series?.slots.count == 24)
        #expect(delivery.fetchedAt == fetched)
        #expect(delivery.staleSince == died)
        #expect(delivery.faults.values.map(\.kind) == [.serviceUnavailable])
        await bench.clock.advance(by: 3600)
        await source.fetch()
        // Since when, not how often.
        #expect(await source.status().staleSince == died)
        #expect(await source.status().failures == 2)
        #expect(bench.log.texts(from: .warning).count == 1)
        await store.close()
    }

    /// The key is refused, put right while the hub is down, and tried at the start, once; a key that is still wrong too.
    @Test func aMendedKeyIsTriedAtTheNextStart() async throws {
        let bench = try SourceBench()
        let file = try bench.folder.write("bad", to: "key")
        let server = try await ProviderServer { question in
            guard question.headers["authorization"] == "Bearer good" else { return .status(401) }
            return .json(Array(#"{"data":[{"start":"2026-02-03T10:00:00Z","value":0.2}]}"#.utf8))
        }
        for (start, key) in ["bad", "bad", "good"].enumerated() {
            _ = try bench.folder.write(key, to: "key")
            let store = try await bench.store()
            let spec = try bench.spec("url", at: server.address, key: SourceKey(file: file)) {
                $0.shape = JSONSeriesShape(rows: ["data"], unit: "EUR/kWh")
            }
            let source = SeriesSource(
                spec, transport: try WebTransport(version: "test"), store: store, clock: bench.clock,
                log: bench.log.log,
                draw: { 0.123_456_789 })
            await source.start()
            let running = Task { await source.run() }
            let next = await eventually { () -> Date? in
                await source.status().nextFetch.flatMap { $0 > bench.clock.now ? $0 : nil }
            }
            #expect(server.questions.count == start + 1)
            // Times have no more than three decimals, as all others.
            #expect(next.map { ($0.timeIntervalSince1970 * 1000).rounded() / 1000 == $0.timeIntervalSince1970 } == true)
            running.cancel()
            _ = await running.value
            await store.close()
            await bench.clock.advance(by: 5)
        }
        #expect(server.questions.count == 3)
        await server.stop()
    }

    @Test func aProviderThatIsBackSaysSoOnce() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in .status(500) }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        server.answer { _ in awattar(from: Self.day, hours: 24) }
        await bench.clock.advance(by: 3600)
        await source.fetch()
        await bench.clock.advance(by: 3600)
        await source.fetch()
        #expect(bench.log.texts(from: .notice).filter { $0.contains("gives figures again") }.count == 1)
        #expect(await source.status().staleSince == nil)
        await server.stop()
        await store.close()
    }

    /// The provider refuses from the start and for twelve hours; the hub is restarted five times meanwhile.
    @Test func aDailyLimitIsKeptOverFiveRestarts_G6() async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in
            .json(
                Array(#"{"message":"daily limit"}"#.utf8), status: 429, headers: [("Retry-After", "\(12 * 3600)")])
        }
        let begin = bench.clock.now
        for restart in 0...5 {
            let store = try await bench.store()
            let source = try await bench.source(at: server.address, store)
            let task = Task { await source.run() }
            await bench.clock.waitForSleepers(1)
            await bench.clock.advance(by: 3600, keeping: 1)
            #expect(server.questions.count == 1, "after restart \(restart)")
            let status = await source.status()
            #expect(try #require(status.nextFetch) >= begin.addingTimeInterval(12 * 3600))
            #expect(status.requestsLeft == 99)
            #expect(status.staleSince == begin)
            #expect(status.lastError?.hasPrefix("rateLimitExceeded") == true)
            task.cancel()
            await task.value
            await store.close()
        }
        let store = try await bench.store()
        server.answer { _ in awattar(from: Self.day, hours: 48) }
        let source = try await bench.source(at: server.address, store)
        let task = Task { await source.run() }
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(to: begin.addingTimeInterval(12 * 3600 + 900), keeping: 1)
        #expect(server.questions.count == 2)
        #expect(await source.status().staleSince == nil)
        task.cancel()
        await task.value
        await server.stop()
        await store.close()
    }

    @Test func theOwnCountOfRequestsHoldsOverRestarts() async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in .json(Array(#"{"forecasts":[]}"#.utf8)) }
        let key = SourceKey("key")
        for _ in 0..<15 {
            let store = try await bench.store()
            let source = try await bench.source("solcast", at: server.address, store, key: key) { $0.area = "roof" }
            await source.fetch()
            await store.close()
            await bench.clock.advance(by: 60)
        }
        // Ten a day is what the provider allows, whoever starts the hub how often.
        #expect(server.questions.count == 10)
        let store = try await bench.store()
        let source = try await bench.source("solcast", at: server.address, store, key: key) { $0.area = "roof" }
        #expect(await source.status().requestsLeft == 0)
        await server.stop()
        await store.close()
    }

    @Test func whatDidNotChangeIsNotSentAgain() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { question in
            if question.headers["if-none-match"] == "\"one\"" { return .notModified }
            var answer = awattar(from: Self.day, hours: 48)
            answer.headers.append(("ETag", "\"one\""))
            return answer
        }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        await bench.clock.advance(by: 3600)
        await source.fetch()
        await bench.clock.advance(by: 3600)
        await source.fetch()
        let status = await source.status()
        #expect(server.questions.map { $0.headers["if-none-match"] ?? "" }.suffix(1) == ["\"one\""])
        #expect(status.lastError == nil)
        #expect(status.lastSuccess == bench.clock.now)
        #expect(await bench.delivery(source).series?.slots.count == 48)
        await server.stop()
        await store.close()
    }

    @Test func otherSettingsDoNotUseWhatWasFetchedUnderTheOldOnes() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24) }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        let other = try await bench.source(at: server.address, store) { $0.area = "AT" }
        #expect(await bench.delivery(other).series == nil)
        // The count goes on: it is the same provider.
        #expect(await other.status().requestsLeft == 99)
        await server.stop()
        await store.close()
    }

    @Test func aDayThatIsNotPublishedYetIsNoFault_G7() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { question in
            guard question.target.contains("date=2026-02-03") else { return .noContent }
            let rows = (0..<24).map { hour in
                let start = Self.day.addingTimeInterval(Double(hour) * 3600)
                return #"{"deliveryStart":"\#(InstantText.text(start))","deliveryEnd":"#
                    + #""\#(InstantText.text(start.addingTimeInterval(3600)))","entryPerArea":{"SE3":\#(hour)}}"#
            }
            return .json(Array(#"{"currency":"EUR","multiAreaEntries":[\#(rows.joined(separator: ","))]}"#.utf8))
        }
        let source = try await bench.source("nord-pool", at: server.address, store) { $0.area = "SE3" }
        await source.fetch()
        let status = await source.status()
        #expect(status.lastError == nil)
        #expect(status.staleSince == nil)
        #expect(await bench.delivery(source).series?.slots.count == 24)
        // 13:15 in Brussels, and a few minutes so that hubs do not ask all at once.
        #expect(status.nextFetch == (try at("2026-02-03T12:20:00Z")))
        #expect(bench.log.texts(from: .warning).isEmpty)
        // Four hours after the publication it is late, and said to be.
        await bench.clock.advance(to: try at("2026-02-03T17:00:00Z"))
        await source.fetch()
        #expect(await source.status().staleSince == (try at("2026-02-03T16:15:00Z")))
        await server.stop()
        await store.close()
    }

    @Test func yesterdaysFiguresStayBesideTodays_G13() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24) { _ in 10 } }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        server.answer { _ in awattar(from: Self.day.addingTimeInterval(12 * 3600), hours: 36) { _ in 20 } }
        await bench.clock.advance(by: 86_400)
        await source.fetch()
        let series = try #require(await bench.delivery(source).series)
        #expect(series.slots.count == 48)
        // What was fetched later is what counts where both have a value.
        #expect(series.slots.prefix(12).allSatisfy { $0.value == 0.01 })
        #expect(series.slots.dropFirst(12).allSatisfy { $0.value == 0.02 })
        await server.stop()
        await store.close()
    }

    @Test func aPasswordIsExchangedForATokenOnce() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { question in
            if question.target == "/login" {
                return question.headers["authorization"] == "Basic dXNlcjpwYXNzd29yZA=="
                    ? .json(Array(#"{"token":"abc123"}"#.utf8)) : .status(401)
            }
            guard question.headers["authorization"] == "Bearer abc123" else { return .status(401) }
            let rows = (0..<12).map { index in
                let time = InstantText.text(Self.day.addingTimeInterval(11 * 3600 + Double(index) * 300))
                return #"{"point_time":"\#(time)","value":1000}"#
            }
            return .json(
                Array(
                    (#"{"data":[\#(rows.joined(separator: ","))],"meta":{"data_point_period_seconds":300,"#
                        + #""signal_type":"co2_moer","units":"lbs_co2_per_mwh"}}"#).utf8))
        }
        let source = try await bench.source(
            "watttime", at: server.address, store, key: SourceKey("user:password")
        ) { $0.area = "CAISO_NORTH" }
        await source.fetch()
        #expect(await source.status().lastError == nil)
        #expect(await bench.delivery(source).series?.kind == .carbon(.marginal))
        #expect(server.questions.filter { $0.target == "/login" }.count == 1)
        await server.stop()
        await store.close()
    }

    @Test func anOptionalKeyIsLeftOutWhereThereIsNone() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in .status(500) }
        for key in [nil, SourceKey("k")] {
            let source = try await bench.source("forecast-solar", at: server.address, store, key: key) {
                $0.plane = .init(latitude: 50, longitude: 8, declination: 30, azimuth: -10, peakWatts: 5500)
            }
            await source.fetch()
        }
        #expect(
            server.questions.map(\.target) == [
                "/estimate/50.0/8.0/30.0/-10.0/5.5?time=utc&full=1",
                "/k/estimate/50.0/8.0/30.0/-10.0/5.5?time=utc&full=1",
            ])
        await server.stop()
        await store.close()
    }
}
