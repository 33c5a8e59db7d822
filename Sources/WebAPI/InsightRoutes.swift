import EnergyKit
import Foundation
import HubKit
import Insights
import WebServer

extension HubAPI {
    /// `/venues/{id}/insights/energy` and `/venues/{id}/insights/runtime`.
    func insights(_ request: HTTPRequest, _ venueText: String, _ measure: String) async throws -> HTTPResponse {
        let venue = try known(venueText)
        let query = try insightRequest(request, venue)
        let client = insightClient(request)
        let zone = venue.timeZone
        switch measure {
        case "energy":
            let records = try await insights.energyInsights(query, client: client)
            return try json(records.map { InsightJSON(energy: $0, zone) })
        case "runtime":
            let records = try await insights.runtimeInsights(query, client: client)
            return try json(records.map { InsightJSON(runtime: $0, zone) })
        default:
            throw Problem.notFound(request)
        }
    }

    private func insightRequest(_ request: HTTPRequest, _ venue: Venue) throws -> InsightRequest {
        guard let device = request.query("device"), !device.isEmpty else {
            throw Problem.badRequest("device is missing: the deviceID of the load events")
        }
        let granularityText = request.query("granularity") ?? "daily"
        guard let granularity = ElectricityInsightQuery.Granularity(rawValue: granularityText) else {
            throw Problem.badRequest(
                "granularity is hourly, daily, weekly, monthly or yearly, not '\(granularityText)'")
        }
        let query = ElectricityInsightQuery(
            options: try insightOptions(request), range: try insightRange(request), granularity: granularity,
            flowDirection: try insightFlow(request))
        return InsightRequest(query: query, deviceID: device, venueID: venue.id)
    }

    private func insightRange(_ request: HTTPRequest) throws -> DateInterval {
        let start = try insightTime(request, "start")
        let end = try insightTime(request, "end")
        guard start <= end else { throw Problem.badRequest("start lies after end") }
        return DateInterval(start: start, end: end)
    }

    private func insightTime(_ request: HTTPRequest, _ name: String) throws -> Date {
        let text = request.query(name) ?? ""
        // A plus sign that was not percent-encoded arrives as a space.
        guard let date = EnergyKitJSON.date(from: text.replacingOccurrences(of: " ", with: "+")) else {
            throw Problem.badRequest("\(name) is a time such as 2026-03-29T00:00:00Z, not '\(text)'")
        }
        return date
    }

    private func insightOptions(_ request: HTTPRequest) throws -> ElectricityInsightQuery.Options {
        var options: ElectricityInsightQuery.Options = []
        for name in (request.query("options") ?? "").split(separator: ",") {
            switch name.trimmingCharacters(in: .whitespaces) {
            case "cleanliness": options.insert(.cleanliness)
            case "tariff": options.insert(.tariff)
            default: throw Problem.badRequest("options are cleanliness and tariff, with a comma between; not '\(name)'")
            }
        }
        return options
    }

    private func insightFlow(_ request: HTTPRequest) throws -> ElectricityFlowDirection {
        switch request.query("flow") ?? "imported" {
        case "imported": return .imported
        case "exported": return .exported
        case let other: throw Problem.badRequest("flow is imported or exported, not '\(other)'")
        }
    }

    /// Who asks, to tell two requests of one client apart from those of two; never shown or kept.
    private func insightClient(_ request: HTTPRequest) -> String {
        request.headers["Authorization"] ?? request.headers["Cookie"] ?? request.remoteAddress ?? "socket"
    }
}

/// A record of insights as JSON; totals that are not known are absent.
///
/// Where a breakdown is shown, every class has a number, 0 for what did not occur, and they add up to the total. All
/// parts of a runtime record's breakdowns are seconds.
private struct InsightJSON: Encodable {
    private struct Cleanliness: Encodable {
        var cleaner, lessClean, avoid, unknown: Double
    }

    private struct Tariff: Encodable {
        var superOffPeak, offPeak, partialPeak, onPeak, criticalPeak, unknown: Double
    }

    private var start: String
    private var end: String
    private var totalWattHours: Double?
    private var totalSeconds: Double?
    private var cleanliness: Cleanliness?
    private var tariff: Tariff?

    init(energy record: ElectricityInsightRecord<Measurement<UnitEnergy>>, _ zone: TimeZone) {
        self.init(record, zone) { $0.wattHours }
    }

    init(runtime record: ElectricityInsightRecord<Duration>, _ zone: TimeZone) {
        self.init(record, zone) { $0.inSeconds }
    }

    private init<Measure>(
        _ record: ElectricityInsightRecord<Measure>, _ zone: TimeZone, _ number: @escaping (Measure) -> Double
    ) {
        func part(_ measure: Measure?) -> Double { measure.map(number) ?? 0 }
        start = Self.text(record.range.start, zone)
        end = Self.text(record.range.end, zone)
        totalWattHours = record.totalEnergy?.wattHours
        totalSeconds = record.totalRuntime?.inSeconds
        cleanliness = record.dataByGridCleanliness.map {
            Cleanliness(
                cleaner: part($0.cleaner), lessClean: part($0.lessClean), avoid: part($0.avoid),
                unknown: part($0.unknown))
        }
        tariff = record.dataByTariffPeak.map {
            Tariff(
                superOffPeak: part($0.superOffPeak), offPeak: part($0.offPeak), partialPeak: part($0.partialPeak),
                onPeak: part($0.onPeak), criticalPeak: part($0.criticalPeak), unknown: part($0.unknown))
        }
    }

    /// The time with the venue's offset, which tells the two hours apart that one clock time names in autumn.
    private static func text(_ date: Date, _ zone: TimeZone) -> String {
        let seconds = zone.secondsFromGMT(for: date)
        let isWhole = seconds % 60 == 0
        let local = date.addingTimeInterval(isWhole ? Double(seconds) : 0)
        guard isWhole, let text = EnergyKitJSON.string(from: local) else {
            return EnergyKitJSON.string(from: date) ?? ""
        }
        let minutes = abs(seconds) / 60
        let digits = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return text.dropLast() + (seconds < 0 ? "-" : "+") + digits.joined(separator: ":")
    }
}
