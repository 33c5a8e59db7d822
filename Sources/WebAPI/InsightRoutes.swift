import EnergyKit
import Foundation
import HubKit
import Insights
import WebServer

extension HubAPI {
    /// `/venues/{id}/insights/energy`.
    func energyInsights(_ call: Route.Call) async throws -> HTTPResponse {
        let venue = try known(call.id)
        let records = try await insights.energyInsights(
            try insightRequest(call.request, venue), client: gate.identity(call.request))
        return try json(records.map { InsightJSON(energy: $0, venue.timeZone) })
    }

    /// `/venues/{id}/insights/runtime`.
    func runtimeInsights(_ call: Route.Call) async throws -> HTTPResponse {
        let venue = try known(call.id)
        let records = try await insights.runtimeInsights(
            try insightRequest(call.request, venue), client: gate.identity(call.request))
        return try json(records.map { InsightJSON(runtime: $0, venue.timeZone) })
    }

    private func insightRequest(_ request: HTTPRequest, _ venue: Venue) throws -> InsightRequest {
        guard let device = request.query("device"), !device.isEmpty else {
            throw Problem.badRequest("device is missing: the deviceID of the load events")
        }
        let units = ElectricityInsightQuery.Granularity.self
        let name = try request.choice("granularity", ["daily", "hourly", "weekly", "monthly", "yearly"])
        let query = ElectricityInsightQuery(
            options: try insightOptions(request), range: try insightRange(request),
            granularity: units.init(rawValue: name) ?? .daily, flowDirection: try insightFlow(request))
        return InsightRequest(query: query, deviceID: device, venueID: venue.id)
    }

    private func insightRange(_ request: HTTPRequest) throws -> DateInterval {
        let start = try request.requiredTime("start")
        let end = try request.requiredTime("end")
        guard start <= end else { throw Problem.badRequest("start lies after end; exchange them") }
        return DateInterval(start: start, end: end)
    }

    private func insightOptions(_ request: HTTPRequest) throws -> ElectricityInsightQuery.Options {
        var options: ElectricityInsightQuery.Options = []
        for name in (request.query("options") ?? "").split(separator: ",") {
            let name = name.trimmingCharacters(in: .whitespaces)
            switch name {
            case "cleanliness": options.insert(.cleanliness)
            case "tariff": options.insert(.tariff)
            default: throw Problem.badRequest(HubAPI.unknown("option", name, ["cleanliness", "tariff"]))
            }
        }
        return options
    }

    private func insightFlow(_ request: HTTPRequest) throws -> ElectricityFlowDirection {
        try request.choice("flow", ["imported", "exported"]) == "imported" ? .imported : .exported
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
