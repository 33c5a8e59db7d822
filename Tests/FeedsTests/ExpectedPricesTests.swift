import Feeds
import Foundation
import Guidance
import Storage
import TestSupport
import Testing
import WebServer

/// A provider that knows the past only.
@Suite struct ExpectedPricesTests {
    @Test func comingHoursAreTheMedianOfTheSameHoursAndSaidToBeAGuess() async throws {
        // Ten in the morning in Chicago, on the day after clocks were put forward.
        let bench = try SourceBench(now: "2026-03-09T15:00:00Z")
        let store = try await bench.store()
        let now = bench.clock.now
        let server = try await ProviderServer { _ in
            // A week of five-minute prices: the hour in UTC as cents, one day of it very dear.
            let rows = (0..<8 * 288).map { index -> String in
                let time = now.addingTimeInterval(-Double(index + 1) * 300)
                let hour = Int(time.timeIntervalSince1970 / 3600) % 24
                let isDear = Int(now.timeIntervalSince(time) / 86_400) == 3
                return #"{"millisUTC":"\#(Int(time.timeIntervalSince1970) * 1000)","price":"\#(isDear ? 90 : hour)"}"#
            }
            return .json(Array("[\(rows.joined(separator: ","))]".utf8))
        }
        let source = try await bench.source("comed", at: server.address, store) { _ in }
        await source.fetch()
        let delivery = await bench.delivery(source)
        let series = try #require(delivery.series)
        #expect(series.source == "comed (expected from the last week)")
        #expect(try #require(series.end) >= now.addingTimeInterval(35 * 3600))
        // Ten o'clock in Chicago was 16:00 in UTC on six of the seven days before, and 15:00 since yesterday.
        #expect(series.value(at: now.addingTimeInterval(86_400)) == 0.16)
        // What is known is not guessed.
        #expect(try #require(series.value(at: now.addingTimeInterval(-300))) == 0.14)
        #expect(await source.status().knownUntil == now)
        await server.stop()
        await store.close()
    }

    @Test func withTooLittleHistoryNothingIsGuessed() async throws {
        let bench = try SourceBench(now: "2026-03-09T15:00:00Z")
        let store = try await bench.store()
        let now = bench.clock.now
        let server = try await ProviderServer { _ in
            let rows = (0..<288).map { index in
                #"{"millisUTC":"\#(Int(now.timeIntervalSince1970) * 1000 - (index + 1) * 300_000)","price":"3"}"#
            }
            return .json(Array("[\(rows.joined(separator: ","))]".utf8))
        }
        let source = try await bench.source("comed", at: server.address, store) { _ in }
        await source.fetch()
        #expect(await bench.delivery(source).series?.end == now)
        await server.stop()
        await store.close()
    }
}
