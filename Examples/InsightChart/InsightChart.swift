import EnergyKit

// Draws what a device used: bars by how clean the grid was, on the terminal and as a picture.

@main
enum InsightChart {
    static func main() async {
        do {
            try await run(Settings(CommandLine.arguments))
        } catch {
            print("error: \(error.localizedDescription)")
            if let advice = (error as? any LocalizedError)?.recoverySuggestion { print(advice) }
            exit(1)
        }
    }

    static func run(_ settings: Settings) async throws {
        let venues = try await EnergyVenue.venues()
        guard let venue = venues.first(where: { settings.venue == nil || $0.name == settings.venue }) else {
            throw EnergyKitError.venueUnavailable
        }
        let range = DateInterval(start: .now - settings.days * 86_400, end: .now + 60)
        let query = ElectricityInsightQuery(
            options: [.cleanliness], range: range, granularity: settings.granularity, flowDirection: .imported)
        let bars =
            settings.showsRuntime
            ? try await runtime(settings.device, query, at: venue) : try await energy(settings.device, query, at: venue)
        // The home's time zone is an addition of this module; days begin and end in it.
        let chart = Chart(bars: bars, unit: settings.showsRuntime ? "h" : "kWh", timeZone: venue.timeZone)
        print(chart.text)
        if let file = settings.svg {
            try chart.svg.write(toFile: file, atomically: true, encoding: .utf8)
            print("wrote \(file)")
        }
    }

    private static func energy(
        _ device: String, _ query: ElectricityInsightQuery, at venue: EnergyVenue
    ) async throws -> [Bar] {
        let records = try await ElectricityInsightService.shared.energyInsights(
            forDeviceID: device, using: query, atVenue: venue.id)
        var bars: [Bar] = []
        for await record in records {
            bars.append(Bar(record, total: record.totalEnergy) { $0.converted(to: .kilowattHours).value })
        }
        return bars
    }

    private static func runtime(
        _ device: String, _ query: ElectricityInsightQuery, at venue: EnergyVenue
    ) async throws -> [Bar] {
        let records = try await ElectricityInsightService.shared.runtimeInsights(
            forDeviceID: device, using: query, atVenue: venue.id)
        var bars: [Bar] = []
        for await record in records {
            bars.append(Bar(record, total: record.totalRuntime) { $0 / .seconds(3_600) })
        }
        return bars
    }
}

/// What the program was asked for.
struct Settings {
    var venue: String?
    var device = "example-charger"
    var days = 7.0
    var granularity = ElectricityInsightQuery.Granularity.daily
    var showsRuntime = false
    var svg: String?

    static let usage = """
        usage: InsightChart --device ID [--venue NAME] [--days N] [--granularity hourly|daily|weekly|monthly|yearly]
                            [--measure energy|runtime] [--svg FILE]
        """

    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard name != "--help" else { Self.end(Self.usage, status: 0) }
            guard let value = rest.popFirst() else { Self.end("\(name) needs a value\n\(Self.usage)", status: 2) }
            switch name {
            case "--venue": venue = value
            case "--device": device = value
            case "--days":
                guard let number = Double(value), (0.01...2_000).contains(number) else {
                    Self.end("--days is a number from 0.01 to 2000, not '\(value)'", status: 2)
                }
                days = number
            case "--granularity":
                guard let known = Self.granularities[value] else {
                    Self.end("--granularity is hourly, daily, weekly, monthly or yearly, not '\(value)'", status: 2)
                }
                granularity = known
            case "--measure":
                guard ["energy", "runtime"].contains(value) else {
                    Self.end("--measure is energy or runtime, not '\(value)'", status: 2)
                }
                showsRuntime = value == "runtime"
            case "--svg": svg = value
            default: Self.end("there is no option \(name)\n\(Self.usage)", status: 2)
            }
        }
    }

    private static func end(_ text: String, status: Int32) -> Never {
        print(text)
        exit(status)
    }

    private static let granularities: [String: ElectricityInsightQuery.Granularity] = [
        "hourly": .hourly, "daily": .daily, "weekly": .weekly, "monthly": .monthly, "yearly": .yearly,
    ]
}

/// One period, in parts from the cleanest on.
struct Bar {
    var start: Date
    /// `nil` where nothing is known of the period, which is not the same as nothing used.
    var total: Double?
    var parts: [Double]

    init<Measure>(
        _ record: ElectricityInsightRecord<Measure>, total: Measure?, _ number: (Measure) -> Double
    ) {
        start = record.range.start
        self.total = total.map(number)
        let split = record.dataByGridCleanliness
        parts = [split?.cleaner, split?.lessClean, split?.avoid, split?.unknown].map { $0.map(number) ?? 0 }
    }
}

/// Bars as text and as a picture.
struct Chart {
    var bars: [Bar]
    var unit: String
    var timeZone: TimeZone

    private static let names = ["cleaner", "less clean", "avoid", "unknown"]
    private static let colours = ["#2e9e5b", "#e0a100", "#c8452f", "#9aa0a6"]
    private static let marks: [Character] = ["█", "▓", "▒", "░"]

    private var most: Double { max(bars.compactMap(\.total).max() ?? 0, .leastNonzeroMagnitude) }

    private func label(_ bar: Bar) -> String {
        let style = Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day().time(
            includingFractionalSeconds: false)
        return bar.start.formatted(style).prefix(16).replacingOccurrences(of: "T", with: " ")
    }

    private func number(_ value: Double) -> String {
        value.formatted(.number.precision(.fractionLength(3)).locale(Locale(identifier: "en_US_POSIX")))
    }

    /// One line for each period.
    var text: String {
        let legend = zip(Self.marks, Self.names).map { "\($0) \($1)" }.joined(separator: "  ")
        let lines = bars.map { bar -> String in
            guard let total = bar.total else { return "\(label(bar))  -" }
            let strip = zip(Self.marks, bar.parts).map { mark, part in
                String(repeating: mark, count: Int((part / most * 40).rounded()))
            }
            return "\(label(bar))  \(number(total)) \(unit)  \(strip.joined())"
        }
        return ([legend] + lines).joined(separator: "\n")
    }

    /// The same as SVG.
    var svg: String {
        let (width, height) = (max(bars.count * 24, 320) + 40, 240)
        var body = ""
        for (index, bar) in bars.enumerated() {
            var top = 200.0
            for (part, colour) in zip(bar.parts, Self.colours) where part > 0 {
                let length = part / most * 180
                top -= length
                body +=
                    "<rect x=\"\(20 + index * 24)\" y=\"\(top)\" width=\"18\" height=\"\(length)\" fill=\"\(colour)\">"
                body += "<title>\(label(bar)): \(number(part)) \(unit)</title></rect>\n"
            }
        }
        for (index, (name, colour)) in zip(Self.names, Self.colours).enumerated() {
            body += "<text x=\"\(20 + index * 90)\" y=\"230\" font-size=\"12\" fill=\"\(colour)\">\(name)</text>\n"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" role="img">
            <title>Use by how clean the grid was, in \(unit)</title>
            <line x1="16" y1="200" x2="\(width - 16)" y2="200" stroke="#444"/>
            \(body)</svg>

            """
    }
}
