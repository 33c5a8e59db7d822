import Foundation

/// Runs the homes through a year and says what came of it.
package enum Simulation {
    private struct Row: Sendable, Encodable {
        var home: String
        var stays: Int
        var hub: Totals
        var atOnce: Totals
        var cheapestWindow: Totals
        var perfectForesight: Totals
    }

    private struct Report: Encodable {
        var file: String
        var days: Int
        var homes: [Row]
        var seconds: Double
    }

    private static let usage =
        "usage: simulate FILE [--seed N] [--days N] [--planning SECONDS] [--home NUMBER] [--json]"

    /// Runs.
    /// - Parameter arguments: what stands behind the program's name.
    /// - Returns: the exit status: 1 where a deadline was missed or a limit exceeded for longer than a tick.
    package static func run(_ arguments: [String]) async -> Int32 {
        var files: [String] = []
        var seed: UInt64 = 1
        var isJSON = false
        var days: Int?
        var planningSeconds = 0.05
        var only: Int?
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": isJSON = true
            case "--seed":
                guard let number = rest.popFirst().flatMap({ UInt64($0) }) else {
                    return misuse("--seed needs a number")
                }
                seed = number
            case "--planning":
                guard let number = rest.popFirst().flatMap({ Double($0) }), number >= 0, number <= 60 else {
                    return misuse("--planning needs seconds from 0 to 60")
                }
                planningSeconds = number
            case "--home":
                guard let number = rest.popFirst().flatMap({ Int($0) }), Home.all(seed: 1).indices.contains(number - 1)
                else { return misuse("--home needs a number from 1 to \(Home.all(seed: 1).count)") }
                only = number - 1
            case "--days":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number >= 4 else {
                    return misuse("--days needs a number of 4 or more")
                }
                days = number
            case _ where word.hasPrefix("-"): return misuse("'\(word)' is not known here")
            default: files.append(word)
            }
        }
        guard files.count == 1 else { return misuse("name one file") }
        let began = ContinuousClock.now
        let year: Year
        do {
            year = try Year(csv: String(contentsOfFile: files[0], encoding: .utf8), days: days)
        } catch let fault as Fault {
            return misuse("\(files[0]): \(fault)")
        } catch {
            return misuse("\(files[0]) can't be read")
        }
        let homes = Home.all(seed: seed)
        let rows = await withTaskGroup(of: (Int, Row).self) { group in
            for (index, home) in homes.enumerated() where only.map({ $0 == index }) ?? true {
                group.addTask { [planningSeconds] in (index, await row(home, year, planningSeconds)) }
            }
            var rows: [(Int, Row)] = []
            for await row in group { rows.append(row) }
            return rows.sorted { $0.0 < $1.0 }.map(\.1)
        }
        let seconds = Double((ContinuousClock.now - began) / .milliseconds(1)) / 1000
        let length = Int(year.end.timeIntervalSince(year.start) / 86_400)
        let report = Report(file: files[0], days: length, homes: rows, seconds: seconds)
        show(report, asJSON: isJSON)
        return rows.allSatisfy { $0.hub.missed == 0 && $0.hub.overloadSeconds <= 60 } ? 0 : 1
    }

    private static func misuse(_ text: String) -> Int32 {
        FileHandle.standardError.write(Data("simulate: \(text)\n\(usage)\n".utf8))
        return 2
    }

    @concurrent private static func row(_ home: Home, _ year: Year, _ planningSeconds: Double) async -> Row {
        let stays = home.stays(in: year)
        var hub = HubRun(home, year, planningSeconds: planningSeconds)
        hub.run(stays)
        let others = OtherWays(home: home, year: year)
        return Row(
            home: home.name, stays: stays.count, hub: hub.totals, atOnce: others.atOnce(stays),
            cheapestWindow: others.cheapestWindow(stays), perfectForesight: others.perfectForesight(stays))
    }

    private static func show(_ report: Report, asJSON: Bool) {
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            guard let data = try? encoder.encode(report) else { return }
            FileHandle.standardOutput.write(data + Data("\n".utf8))
            return
        }
        var lines = [
            "\(report.days) days of \(report.file), \(report.homes.count) \(report.homes.count == 1 ? "home" : "homes"), \(Int(report.seconds)) s",
            "",
        ]
        for row in report.homes {
            lines.append("\(row.home), \(row.stays) stays, \(text(row.hub.kilowattHours, 0)) kWh")
            let isHeated = row.atOnce.degreeHours > 0 || row.hub.degreeHours > 0
            lines.append(
                "  way               cost €     kg CO2   missed   over a limit" + (isHeated ? "   K·h outside" : ""))
            for (name, totals) in [
                ("at once", row.atOnce), ("cheapest window", row.cheapestWindow), ("Offpeak", row.hub),
                ("perfect foresight", row.perfectForesight),
            ] {
                let over = name == "Offpeak" ? "\(Int(totals.overloadSeconds)) s" : "–"
                lines.append(
                    "  \(name.padding(toLength: 17, withPad: " ", startingAt: 0))"
                        + padded(text(totals.cost, 2), 8) + padded(text(totals.kilograms, 1), 11)
                        + padded("\(totals.missed)", 9) + padded(over, 14)
                        + (isHeated ? padded(text(totals.degreeHours, 1), 14) : ""))
            }
            let possible = row.atOnce.cost - row.perfectForesight.cost
            let saved = row.atOnce.cost - row.hub.cost
            if possible > 0.01 { lines.append("  \(text(saved / possible * 100, 1)) % of what can be saved") }
            lines.append("")
        }
        FileHandle.standardOutput.write(Data(lines.joined(separator: "\n").utf8))
    }

    private static func text(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
