import Foundation
import TestSupport
import ThreadKit

/// The demo's house as its own file shows it: what the charger's own counter says, whatever the hub thinks.
struct HouseSnapshot: Decodable, Sendable {
    struct Charger: Decodable, Sendable {
        var countedWattHours: Double
        var limitAmps: Double
        var isEnabled: Bool
    }

    var now: Date
    var charger: Charger

    /// Reads the file; nil while it is not there or just being written.
    static func read(in folder: URL) -> HouseSnapshot? {
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("house.state")) else { return nil }
        return try? JSONDecoder().decode(HouseSnapshot.self, from: Data(data.prefix { $0 != 0 }))
    }
}

/// Watches the house's file and keeps every state it sees.
final class HouseWatch: Sendable {
    private let seen = Locked<[HouseSnapshot]>([])
    private let task: Task<Void, Never>

    init(_ folder: URL) {
        let seen = seen
        task = Task {
            repeat {
                if let state = HouseSnapshot.read(in: folder) {
                    seen.withLock { if $0.last?.now != state.now { $0.append(state) } }
                }
            } while (try? await Task.sleep(for: .milliseconds(10))) != nil
        }
    }

    deinit { task.cancel() }

    /// Every state so far, in order.
    var states: [HouseSnapshot] { seen.current }

    /// Waits for a state of the house.
    func wait(within limit: Duration = .seconds(60), until isWanted: @Sendable (HouseSnapshot) -> Bool) async -> Bool {
        await eventually(within: limit, every: .milliseconds(10)) { states.last.map(isWanted) == true }
    }

    /// Energy counted between each two states, with the moment in the middle of them.
    var steps: [(at: Date, wattHours: Double)] {
        let states = states
        return zip(states, states.dropFirst()).compactMap { before, after in
            let energy = after.charger.countedWattHours - before.charger.countedWattHours
            let middle = before.now.addingTimeInterval(after.now.timeIntervalSince(before.now) / 2)
            return energy > 0 ? (middle, energy) : nil
        }
    }
}

/// The demo's prices, read here by the test itself.
struct DemoPrices: Sendable {
    private struct File: Decodable {
        struct Slot: Decodable {
            var start: String
            var end: String
            var value: Double
        }
        var slots: [Slot]
    }

    /// An hour with what a kWh costs the household in it.
    struct Hour: Sendable {
        var range: Range<Date>
        var pricePerKWh: Double
    }

    let hours: [Hour]

    init() throws {
        let file = try Checkout.folder.appendingPathComponent("etc/demo/price-de-lu-2024-04-01-week.json")
        hours = try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).slots.map { slot in
            Hour(
                range: try Date(slot.start, strategy: .iso8601)..<Date(slot.end, strategy: .iso8601),
                pricePerKWh: (slot.value / 1000 + 0.16) * 1.19)
        }
    }

    func price(at moment: Date) -> Double? { hours.first { $0.range.contains(moment) }?.pricePerKWh }

    /// The least that an amount of energy costs between two moments with a charger of this power.
    func leastCost(wattHours: Double, watts: Double, from start: Date, to end: Date) -> Double {
        var left = wattHours
        var cost = 0.0
        let usable = hours.filter { $0.range.overlaps(start..<end) }.sorted { $0.pricePerKWh < $1.pricePerKWh }
        for hour in usable where left > 0 {
            let seconds = hour.range.clamped(to: start..<end)
            let most = watts * seconds.upperBound.timeIntervalSince(seconds.lowerBound) / 3600
            cost += min(left, most) / 1000 * hour.pricePerKWh
            left -= min(left, most)
        }
        return cost
    }
}

/// The folder of the sources the tests were built from.
enum Checkout {
    static var folder: URL {
        get throws {
            var folder = URL(fileURLWithPath: HubProcess.executable).deletingLastPathComponent()
            while folder.path != "/" {
                if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
                    return folder
                }
                folder.deleteLastPathComponent()
            }
            throw HubProcess.Failure(description: "the tests do not run in a checkout")
        }
    }
}
