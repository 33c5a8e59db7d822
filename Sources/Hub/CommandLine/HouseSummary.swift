import Foundation
import Guidance
import HubKit
import ProfileKit
import YAML

/// What a configuration makes of a house, in a few lines.
struct HouseSummary {
    let configuration: HubConfiguration
    let profiles: ProfileLibrary

    /// The lines, homes first, each with its devices below it.
    var lines: [String] {
        let homes = configuration.venues.enumerated().flatMap { index, venue in
            [describe(venue)] + devices(of: index)
        }
        return homes + [sinks, page, "data: \(configuration.dataFolder.path)"]
    }

    private func describe(_ venue: VenueConfiguration) -> String {
        var facts = [venue.timeZone.identifier]
        if let currency = venue.currency { facts.append(currency) }
        if let connection = venue.connection {
            facts.append("\(connection.phases) × \(YAMLNode.plain(connection.amps)) A")
        }
        return
            "home \(venue.name): \(facts.joined(separator: ", ")); price from \(price(venue)); carbon from \(carbon(venue))"
    }

    private func price(_ venue: VenueConfiguration) -> String {
        var sources = (venue.priceFile.map { [$0.lastPathComponent] } ?? []) + venue.choices.price.map(\.source)
        if let plan = venue.ratePlan {
            let count = plan.periods.count
            sources.append(count == 0 ? "a rate plan" : "a rate plan with \(count) period\(count == 1 ? "" : "s")")
        }
        return sources.isEmpty ? "nowhere" : sources.joined(separator: " and ")
    }

    private func carbon(_ venue: VenueConfiguration) -> String {
        let sources = (venue.carbonFile.map { [$0.lastPathComponent] } ?? []) + venue.choices.carbon.map(\.source)
        return sources.isEmpty ? "nowhere" : sources.joined(separator: ", ")
    }

    private func devices(of venue: Int) -> [String] {
        let devices = configuration.devices.filter { $0.venueIndex == venue }.map(\.configuration)
        guard !devices.isEmpty else { return ["  no device"] }
        let rows = devices.map { device in
            [device.id.rawValue, device.driver, device.profile ?? "-", address(device), detail(device)]
        }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            let line = "  " + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func address(_ device: DeviceConfiguration) -> String {
        if case .ocpp(let connection) = device.connection { return "OCPP \(connection.chargePoint)" }
        guard let transport = profiles.profile(of: device)?.transport,
            let address = ConfigurationCheck.Address(device.connection, transport, configuration.mqtt)
        else { return "-" }
        let speech = address.speech.map { " \($0)" } ?? ""
        return address.line + speech + (address.unit.map { " unit \($0)" } ?? "") + address.part
    }

    private func detail(_ device: DeviceConfiguration) -> String {
        var facts = device.role.map { [$0.rawValue] } ?? []
        if let amps = device.limits.maximumAmps { facts.append("at most \(YAMLNode.plain(amps)) A") }
        if let mode = device.mode { facts.append(mode.rawValue) }
        return facts.joined(separator: ", ")
    }

    private var sinks: String {
        var places = ["own store"]
        if configuration.sendsEventsToMQTT, let mqtt = configuration.mqtt {
            places.append("\(mqtt.base)/events at \(mqtt.host):\(mqtt.port)")
        }
        return "load events: " + (places + configuration.sinks.map(\.summary)).joined(separator: ", ")
    }

    private var page: String {
        let http = configuration.http
        let host = http.host.contains(":") ? "[\(http.host)]" : http.host
        let needs = http.isLoopback ? "" : ", once there is a token"
        return "page: http://\(host):\(http.port)\(needs)"
    }
}
