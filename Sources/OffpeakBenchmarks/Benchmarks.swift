import Foundation

/// Every figure the project promises, measured on the release build and shown in one table.
enum Benchmarks {
    /// Runs all benchmarks, or those whose name contains one of the words given.
    /// - Returns: the exit status: 0 when all ran, whatever they measured; 2 on wrong usage.
    static func run(_ arguments: [String]) async -> Int32 {
        // A part of the events' benchmark that needs a process of its own.
        if arguments == ["--outage"] {
            do {
                try await OutageRun.run()
                return 0
            } catch {
                print("the outage could not be run: \(error)")
                return 1
            }
        }
        // The virtual meters of the devices' benchmark.
        if arguments.count == 2, arguments[0] == "--meters" {
            do {
                try await MeterProcess.run(arguments[1])
                return 0
            } catch {
                print("the virtual meters ended: \(error)")
                return 1
            }
        }
        var words: [String] = []
        var json: String?
        var index = 0
        while index < arguments.count {
            switch arguments[index] {
            case "--json" where index + 1 < arguments.count:
                json = arguments[index + 1]
                index += 1
            case "--help", "-h":
                print(
                    "usage: scripts/bench [--json FILE] [WORD …]   runs the benchmarks whose name contains a WORD, or all"
                )
                return 0
            case let word where word.hasPrefix("-"):
                print("benchmarks: \(word) is not known; there is --json FILE")
                return 2
            case let word:
                words.append(word)
            }
            index += 1
        }
        var figures: [Figure] = []
        var failed = false
        for name in ["planning", "guidance", "modbus", "events", "tick", "devices", "bridge", "hub"] {
            guard words.isEmpty || words.contains(where: { name.contains($0) }) else { continue }
            print("measuring \(name) …")
            do {
                figures += try await measure(name)
            } catch {
                failed = true
                print("  \(name) could not be measured: \(error)")
            }
        }
        show(figures)
        if let json { write(figures, to: json) }
        return failed ? 1 : 0
    }

    private static func measure(_ name: String) async throws -> [Figure] {
        switch name {
        case "planning": try PlanningBenchmark.run() + JointPlanningBenchmark.run() + EMHASSBenchmark.run()
        case "guidance": try GuidanceBenchmark.run()
        case "modbus": try await ModbusBenchmark.run()
        case "events": try await EventBenchmark.run()
        case "tick": try await TickBenchmark.run()
        case "devices": try await DeviceBenchmark.run()
        case "bridge": try await BridgeBenchmark.run()
        default: try await HubBenchmark.run()
        }
    }

    private static func show(_ figures: [Figure]) {
        let rows = [["figure", "median", "min", "max", "wanted", ""]] + figures.map(\.row)
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            print(
                zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  "))
        }
    }

    private static func write(_ figures: [Figure], to path: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(figures), FileManager.default.createFile(atPath: path, contents: data)
        else {
            print("benchmarks: \(path) could not be written")
            return
        }
        print("written to \(path)")
    }
}

/// One measured figure with what the project wants of it.
struct Figure: Encodable {
    var name: String
    var unit: String
    var values: [Double]
    /// The bound, and whether the figure should be below or above it.
    var bound: Double?
    var wantsAbove = false

    private var sorted: [Double] { values.sorted() }
    var median: Double { sorted.isEmpty ? .nan : sorted[sorted.count / 2] }

    var row: [String] {
        let isMet = bound.map { wantsAbove ? median >= $0 : median <= $0 }
        return [
            name, text(median), text(sorted.first ?? .nan), text(sorted.last ?? .nan),
            bound.map { "\(wantsAbove ? "≥" : "≤") \(text($0))" } ?? "",
            isMet.map { $0 ? "met" : "MISSED" } ?? "",
        ]
    }

    private func text(_ value: Double) -> String {
        let digits = abs(value) >= 100 ? 0 : abs(value) >= 1 ? 2 : 4
        return String(format: "%.\(digits)f", value) + " " + unit
    }
}

/// Seconds that `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let began = ContinuousClock.now
    try body()
    return (ContinuousClock.now - began) / .seconds(1)
}

/// Keeps the optimiser from leaving out what is measured.
@inline(never) func blackHole<Value>(_ value: Value) { withExtendedLifetime(value) {} }
