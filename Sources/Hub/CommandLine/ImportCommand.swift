import Foundation
import Guidance

/// Decoding a provider's payload that lies in a file.
enum ImportCommand {
    static func run(_ arguments: [String]) throws -> ExitStatus {
        let given = try Arguments(arguments, for: "import")
        let path = try given.only("FILE")
        guard let source = given["source"] else {
            let names = (PayloadDecoders.all.map(\.name) + ["url"] + tariffs).sorted().joined(separator: ", ")
            throw Arguments.Misuse(description: "--source NAME is missing; the names are \(names)")
        }
        if tariffs.contains(source.lowercased()) { return try plan(source.lowercased(), path, given) }
        let decoder = try decoder(source, given)
        let options = try options(given)
        do {
            let series = try decoder.series(from: try FileCommands.data(path), options: options, file: path)
            Console.out(String(decoding: try series.json(), as: UTF8.self))
            return .success
        } catch let error as PayloadError {
            return refuse(path, error)
        }
    }

    /// Sources whose files hold tariffs, not series.
    private static let tariffs = ["openei", "acnportal"]

    /// Prints a tariff as `rate_plan` of a configuration (JSON is YAML too), and says what the plan leaves out.
    private static func plan(_ source: String, _ path: String, _ given: Arguments) throws -> ExitStatus {
        let data = try FileCommands.data(path)
        let index = try given.whole("index", in: 0...10_000) ?? 0
        do {
            let imported =
                source == "openei"
                ? try ImportedRatePlan(urdb: data, index: index) : try ImportedRatePlan(acnSchedule: data)
            try Console.json(imported.plan, with: JSONEncoder())
            Console.error("\(path): \(imported.name)")
            for part in imported.leftOut { Console.error("\(path): left out: \(part)") }
            return .success
        } catch let error as PayloadError {
            return refuse(path, error)
        }
    }

    /// Says what is wrong with a file; the kind stands last, for programs.
    private static func refuse(_ path: String, _ error: PayloadError) -> ExitStatus {
        Console.error("\(path): error: \(error.what); \(error.remedy) [\(error.kind.rawValue)]")
        return error.kind == .argumentNeeded ? .usage : .refused
    }

    private static func decoder(_ source: String, _ given: Arguments) throws -> any PayloadDecoder {
        guard ["url", "home-assistant"].contains(source.lowercased()) else {
            do { return try PayloadDecoders.named(source) } catch {
                throw Arguments.Misuse(description: "\(error.what); \(error.remedy)")
            }
        }
        guard let unit = given["unit"], let side = given["kind"].flatMap({ SourceSettings.Side(rawValue: $0) }) else {
            throw Arguments.Misuse(
                description: "--source \(source) needs --kind price, carbon or solar, and --unit such as EUR/kWh")
        }
        let rows = given["rows"].map { $0.split(separator: ",").map(String.init) } ?? []
        let shape = JSONSeriesShape(
            rows: rows, start: given["start"] ?? "start", end: given["end"], value: given["value"] ?? "value",
            unit: unit)
        return JSONSeriesDecoder(name: source, shape: shape, side: side)
    }

    private static func options(_ given: Arguments) throws -> PayloadOptions {
        var options = PayloadOptions(area: given["area"], field: given["field"], currency: given["currency"])
        options.peakWatts = try given.number("peak-watts", in: 1...1e9)
        if let zone = given["time-zone"] {
            guard let known = TimeZone(identifier: zone) else {
                throw Arguments.Misuse(
                    description: "'\(zone)' is not a time zone; use a name of the IANA list such as Europe/Berlin")
            }
            options.timeZone = known
        }
        if let vat = given["vat"] {
            guard let known = PayloadOptions.VAT(rawValue: vat) else {
                throw Arguments.Misuse(description: "--vat is included or excluded, not '\(vat)'")
            }
            options.vat = known
        }
        return options
    }
}
