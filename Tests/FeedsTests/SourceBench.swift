import Feeds
import Foundation
import Guidance
import HubKit
import Storage
import TestSupport
import Testing
import WebServer

/// An instant from its text.
func at(_ text: String) throws -> Date { try #require(InstantText.instant(text)) }

/// A store, a clock and a log for sources under test; a Tuesday in winter, eleven o'clock in Brussels.
struct SourceBench {
    let folder: TemporaryFolder
    let clock: ManualClock
    let log = CollectingLog()

    init(now: String = "2026-02-03T10:00:00Z") throws {
        folder = try TemporaryFolder()
        clock = ManualClock(try at(now))
    }

    func store() async throws -> HubStore { try await HubStore(folder: folder.url, clock: clock, log: log.log) }

    /// A source as the hub makes it, started but not running.
    func source(
        _ provider: String = "awattar", at address: String, _ store: HubStore, key: SourceKey? = nil,
        seconds: Double = 20, change: (inout SourceSettings) -> Void = { $0.area = "DE" }
    ) async throws -> SeriesSource {
        let spec = try spec(provider, at: address, key: key, change: change)
        let web = try WebTransport(version: "test", totalSeconds: seconds)
        let source = SeriesSource(spec, transport: web, store: store, clock: clock, log: log.log, draw: { 0.5 })
        await source.start()
        return source
    }

    func spec(
        _ name: String, at address: String, key: SourceKey? = nil, change: (inout SourceSettings) -> Void
    ) throws -> SourceSpec {
        let provider = try #require(SourceProviders.named(name))
        var settings = SourceSettings(side: provider.facts.sides[0])
        settings.address = address
        change(&settings)
        return SourceSpec(name: "\(name) under test", provider: provider, settings: settings, key: key)
    }

    /// What a source has to say of the days around now.
    func delivery(_ source: SeriesSource) async -> Delivery {
        await source.delivery(
            covering: clock.now.addingTimeInterval(-8 * 86_400)..<clock.now.addingTimeInterval(3 * 86_400))
    }
}

/// Hourly prices in the form of aWATTar.
func awattar(
    from start: Date, hours: Int, unit: String = "Eur/MWh", _ price: (Int) -> Double = { 50 + Double($0 % 24) }
) -> HTTPResponse {
    let rows = (0..<hours).map { hour in
        let begin = Int(start.timeIntervalSince1970 * 1000) + hour * 3_600_000
        return #"{"start_timestamp":\#(begin),"end_timestamp":\#(begin + 3_600_000),"marketprice":\#(price(hour)),"#
            + #""unit":"\#(unit)"}"#
    }
    return .json(Array(#"{"object":"list","data":[\#(rows.joined(separator: ","))]}"#.utf8))
}
