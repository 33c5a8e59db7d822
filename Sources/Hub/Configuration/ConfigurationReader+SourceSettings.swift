import Foundation
import Guidance
import HubKit
import YAML

extension ConfigurationReader {
    func readSettings(_ reader: inout YAMLReader, into settings: inout SourceSettings, location: Location?) {
        settings.area = text(&reader, "area")
        settings.product = text(&reader, "product")
        settings.field = text(&reader, "field")
        settings.currency = text(&reader, "currency")
        settings.vat = reader.optionalChoice("vat", PayloadOptions.VAT.self)
        settings.address = readAddress(&reader)
        settings.entity = text(&reader, "entity")
        if let zone = reader.optionalString("time_zone") {
            settings.timeZone = TimeZone(identifier: zone)
            if settings.timeZone == nil {
                issues.add(
                    "'\(zone)' is not a time zone", hint: "use a name of the IANA list such as Europe/Berlin",
                    at: reader.node["time_zone"] ?? reader.node)
            }
        }
        settings.plane = readPlane(&reader, location)
        settings.shape = readShape(&reader)
    }

    private func readAddress(_ reader: inout YAMLReader) -> String? {
        guard var address = text(&reader, "url") else { return nil }
        while address.hasSuffix("/") { address.removeLast() }
        guard let url = URL(string: address.replacingOccurrences(of: SourceRequest.keyMark, with: "key")),
            ["http", "https"].contains(url.scheme), url.host?.isEmpty == false, url.user == nil
        else {
            issues.add(
                "the url is not an address of HTTP",
                hint: "such as https://example.org/prices; a key goes into key_file",
                at: reader.node["url"] ?? reader.node)
            return nil
        }
        return address
    }

    private func readPlane(_ reader: inout YAMLReader, _ location: Location?) -> SourceSettings.Plane? {
        let declination = reader.optionalDouble("declination", in: 0...90)
        let azimuth = reader.optionalDouble("azimuth", in: -180...180)
        let peak = reader.optionalDouble("peak_watts", in: 1...1e7)
        let north = reader.optionalDouble("latitude", in: -90...90) ?? location?.latitude
        let east = reader.optionalDouble("longitude", in: -180...180) ?? location?.longitude
        guard let declination, let azimuth, let peak else {
            if declination != nil || azimuth != nil || peak != nil {
                issues.add(
                    "a solar system is declination, azimuth and peak_watts together", hint: "add what is missing",
                    at: reader.node)
            }
            return nil
        }
        guard let north, let east else {
            issues.add(
                "the source needs to know where the panels are",
                hint: "add latitude and longitude, or the venue's location", at: reader.node)
            return nil
        }
        return SourceSettings.Plane(
            latitude: north, longitude: east, declination: declination, azimuth: azimuth, peakWatts: peak)
    }

    /// The paths of a free JSON document; `unit` makes it one.
    private func readShape(_ reader: inout YAMLReader) -> JSONSeriesShape? {
        var rows: [String] = []
        if let node = reader.optionalNode("rows") { rows = (node.elements ?? [node]).compactMap { $0.scalar?.text } }
        let start = reader.optionalString("start")
        let end = reader.optionalString("end")
        let value = reader.optionalString("value")
        let unit = reader.optionalString("unit")
        let stamp = reader.optionalChoice("stamp", JSONSeriesShape.Stamp.self)
        let minutes = reader.optionalDouble("step_minutes", in: 1...1440)
        guard let unit else {
            if !rows.isEmpty || start != nil || value != nil {
                issues.add("the values have no unit", hint: "add unit, such as EUR/kWh", at: reader.node)
            }
            return nil
        }
        return JSONSeriesShape(
            rows: rows, start: start ?? "start", end: end, value: value ?? "value", unit: unit, stamp: stamp ?? .start,
            minutes: minutes)
    }

    /// A key from a file, which is read at each fetch, or from the environment.
    func readKey(_ reader: inout YAMLReader) -> SourceKey? {
        let direct = text(&reader, "key").map { SourceKey($0) }
        guard let file = path(&reader, "key_file") else { return direct }
        if !FileManager.default.isReadableFile(atPath: file.path) {
            issues.add(
                "\(file.path) can't be read", hint: "create it with mode 0600 and the key in it",
                at: reader.node["key_file"] ?? reader.node)
        }
        return SourceKey(file: file)
    }
}
