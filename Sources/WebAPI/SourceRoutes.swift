import Foundation
import Guidance
import HubKit
import WebServer

extension HubAPI {
    /// How every source of guidance is doing, without secrets.
    func sources() async throws -> HTTPResponse { try json(await services.guidance.sourceStatuses()) }

    /// How the sources of one home are doing.
    func sources(of text: String) async throws -> HTTPResponse {
        let names = await services.guidance.sourceNames(at: try known(text).id)
        return try json(await services.guidance.sourceStatuses().filter { names.contains($0.name) })
    }

    private struct SolarJSON: Encodable {
        struct Slot: Encodable {
            var start: Date
            var end: Date
            var powerWatts: Double
        }

        var source: String?
        var slots: [Slot]
    }

    /// What a home's solar system is expected to give.
    func solar(of text: String) async throws -> HTTPResponse {
        let forecast = await services.guidance.solarForecast(at: try known(text).id)
        let slots = forecast?.slots.map { SolarJSON.Slot(start: $0.start, end: $0.end, powerWatts: $0.value) } ?? []
        return try json(SolarJSON(source: forecast?.source, slots: slots))
    }

    /// Lines about sources for the metrics.
    func addSources(to text: inout MetricsText, now: Date) async {
        for status in await services.guidance.sourceStatuses() {
            let name = status.name
            text.add(
                "offpeak_source_stale_seconds", "Time since a source stopped answering as it should, 0 while it does",
                "gauge", status.staleSince.map { max(0, now.timeIntervalSince($0)) } ?? 0, source: name)
            text.add(
                "offpeak_source_failures", "Failed fetches in a row", "gauge", Double(status.failures), source: name)
            if let moment = status.lastSuccess {
                text.add(
                    "offpeak_source_last_success_timestamp_seconds", "When a source last gave something usable",
                    "gauge", moment.timeIntervalSince1970, source: name)
            }
            if let moment = status.knownUntil {
                text.add(
                    "offpeak_source_known_until_timestamp_seconds", "Until when its figures reach", "gauge",
                    moment.timeIntervalSince1970, source: name)
            }
            if let left = status.requestsLeft {
                text.add(
                    "offpeak_source_requests_left", "Requests that its quota leaves now", "gauge", Double(left),
                    source: name)
            }
        }
    }
}
