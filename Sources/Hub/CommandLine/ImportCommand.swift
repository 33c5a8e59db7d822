import Foundation
import Guidance
import HubKit
import YAML

/// Decoding a provider's payload that lies in a file.
enum ImportCommand {
    static func run(_ arguments: [String]) throws -> ExitStatus {
        let given = try Arguments(arguments, for: "import")
        let path = try given.only("FILE")
        guard let source = given["source"] else {
            throw Arguments.Misuse(
                description: "--source NAME is missing; the names are \(names.joined(separator: ", "))")
        }
        if tariffs.contains(source.lowercased()) { return try plan(source.lowercased(), path, given) }
        // What is asked for is judged before the file is read.
        let options = try options(given)
        let decoder = try decoder(source, given)
        let data = try FileCommands.data(path)
        do {
            let series = try decoder(data).series(from: data, options: options, file: FileCommands.shown(path))
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
            if let warning = age(imported, now: SystemClock().now) { Console.error("\(path): warning: \(warning)") }
            return .success
        } catch let error as PayloadError {
            return refuse(path, error)
        }
    }

    /// That a tariff is not in force, nil for one that is or that does not say.
    private static func age(_ imported: ImportedRatePlan, now: Date) -> String? {
        func day(_ moment: Date) -> String { String(InstantText.text(moment).prefix(10)) }
        if let end = imported.validTo, end <= now {
            return "the tariff ended on \(day(end)); look for the one that followed"
        }
        return imported.validFrom.flatMap { $0 > now ? "the tariff begins on \(day($0))" : nil }
    }

    /// Says what is wrong with a file; the kind stands last, for programs.
    private static func refuse(_ path: String, _ error: PayloadError) -> ExitStatus {
        Console.error("\(FileCommands.shown(path)): error: \(error.what); \(error.remedy) [\(error.kind.rawValue)]")
        return error.kind == .argumentNeeded ? .usage : .refused
    }

    /// Every name of a source, sorted.
    private static var names: [String] {
        Set(PayloadDecoders.all.map(\.name) + ["home-assistant", "url"] + tariffs).sorted()
    }

    /// What makes a decoder for a file's content.
    private static func decoder(
        _ source: String, _ given: Arguments
    ) throws(Arguments.Misuse) -> (Data) -> any PayloadDecoder {
        if ["url", "home-assistant"].contains(source.lowercased()) { return try shaped(source, given) }
        do {
            let decoder = try PayloadDecoders.named(source)
            return { _ in decoder }
        } catch {
            let near = NearestWord.match(source, among: names).map { "did you mean '\($0)'? " } ?? ""
            throw Arguments.Misuse(
                description: "\(error.what); \(near)the names are \(names.joined(separator: ", "))")
        }
    }

    /// A decoder of any JSON by paths; rows are the document itself where it is a list and nothing else is said.
    private static func shaped(
        _ source: String, _ given: Arguments
    ) throws(Arguments.Misuse) -> (Data) -> any PayloadDecoder {
        guard let unit = given["unit"], let side = given["kind"].flatMap({ SourceSettings.Side(rawValue: $0) }) else {
            throw Arguments.Misuse(
                description: "--source \(source) needs --kind price, carbon or solar, and --unit such as EUR/kWh")
        }
        var shape = JSONSeriesShape(
            rows: given["rows"].map { $0.split(separator: ",").map(String.init) } ?? [],
            start: given["start"] ?? "start", end: given["end"], value: given["value"] ?? "value", unit: unit)
        return { data in
            let isList = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
            if shape.rows.isEmpty, isList { shape.rows = ["$"] }
            return JSONSeriesDecoder(name: source, shape: shape, side: side)
        }
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
