import Control
import Foundation
import HubKit
import LoadEvents
import WebServer

extension HubAPI {
    /// Prometheus text, version 0.0.4: what a person watching many homes wants on a wall.
    func metrics() async -> HTTPResponse {
        var text = MetricsText()
        let now = services.clock.now
        for device in services.board.all {
            let id = device.configuration.id.rawValue
            text.add(
                "offpeak_device_up", "1 while the device answers", "gauge", device.health.state == .ok ? 1 : 0,
                device: id)
            guard let reading = device.reading else { continue }
            text.add(
                "offpeak_device_reading_age_seconds", "Age of the last reading", "gauge",
                now.timeIntervalSince(reading.at), device: id)
            // A device that is away draws what nobody knows; its counters stand where they were.
            let isHeard = device.health.state == .ok || device.health.state == .degraded
            for (quantity, name, help, type) in MetricsText.quantities where isHeard || type == "counter" {
                if let value = reading[quantity] { text.add(name, help, type, value, device: id) }
            }
        }
        for status in await services.submitter.sinkStatuses() {
            text.add(
                "offpeak_outbox_depth", "Load events that wait for a sink", "gauge", Double(status.depth),
                sink: status.name)
            text.add(
                "offpeak_outbox_dead_letters", "Load events that a sink refused for good", "gauge",
                Double(status.deadLetters), sink: status.name)
            text.add(
                "offpeak_outbox_delivered_total", "Load events that a sink took since the start", "counter",
                Double(status.delivered), sink: status.name)
            if let oldest = status.oldestWaiting {
                text.add(
                    "offpeak_outbox_oldest_seconds", "Age of the oldest load event that waits for a sink", "gauge",
                    now.timeIntervalSince(oldest), sink: status.name)
            }
            text.add(
                "offpeak_sink_failures", "Failed deliveries in a row", "gauge", Double(status.failures),
                sink: status.name)
        }
        addStoreMetrics(to: &text)
        await addSources(to: &text, now: now)
        text.add(
            "offpeak_control_ticks_total", "Control ticks since the start", "counter",
            Double(await services.controller.ticks))
        text.add(
            "offpeak_control_tick_seconds", "Time the last control tick took", "gauge",
            await services.controller.lastTickSeconds)
        return .bytes(Array(text.text.utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// Lines of Prometheus text, each metric under one heading.
struct MetricsText {
    private var lines: [String: [String]] = [:]
    private var order: [String] = []

    static let quantities: [(Quantity, String, String, String)] = [
        (.powerWatts, "offpeak_device_power_watts", "Active power; a grid meter's import is positive", "gauge"),
        (
            .importWattHours, "offpeak_device_import_watt_hours_total", "Energy imported, produced or consumed",
            "counter"
        ),
        (.exportWattHours, "offpeak_device_export_watt_hours_total", "Energy exported", "counter"),
        (.limitAmps, "offpeak_charger_limit_amps", "Current offered to the car for each phase", "gauge"),
        (.stateOfChargePercent, "offpeak_car_state_of_charge_percent", "Charge of the car", "gauge"),
        (.roomCelsius, "offpeak_room_celsius", "Room temperature", "gauge"),
    ]

    mutating func add(
        _ name: String, _ help: String, _ type: String, _ value: Double, device: String? = nil, sink: String? = nil,
        source: String? = nil
    ) {
        if lines[name] == nil {
            order.append(name)
            lines[name] = ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
        }
        let label =
            device.map { "{device=\"\($0)\"}" } ?? sink.map { "{sink=\"\($0)\"}" }
            ?? source.map { "{source=\"\(Self.escaped($0))\"}" } ?? ""
        lines[name, default: []].append("\(name)\(label) \(value)")
    }

    /// A label's value may hold anything but a bare backslash, quote or line feed.
    private static func escaped(_ label: String) -> String {
        label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    var text: String { order.flatMap { lines[$0] ?? [] }.joined(separator: "\n") + "\n" }
}
