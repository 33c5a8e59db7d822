import EnergyKit
import Foundation
import HubKit

/// The subcommand `what-if`.
enum WhatIfCommand {
    private struct Answer: Decodable {
        struct Plan: Decodable {
            struct Interval: Decodable {
                var start: Date
                var end: Date
                var powerWatts: Double?
            }

            var deviceID: String
            var intervals: [Interval]
            var cost: Double?
            var costIfStartedNow: Double?
            var currency: String?
            var unmetEnergyWattHours: Double?
            var reason: String
        }

        var plan: Plan
        var current: Plan?
        var others: [Plan]
    }

    static func run(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "what-if")
        let device = try given.only("DEVICE")
        guard let text = given["ready-by"], let readyBy = EnergyKitJSON.date(from: text) else {
            throw Arguments.Misuse(description: "--ready-by is a time such as 2026-03-29T07:00:00Z")
        }
        let energy = try given.number("energy-kwh", in: 0...1000)
        let percent = try given.number("state-of-charge", in: 0...100)
        guard (energy == nil) != (percent == nil) else {
            throw Arguments.Misuse(description: "give --energy-kwh or --state-of-charge, one of the two")
        }
        let amount = energy.map { "energyWattHours=\($0 * 1000)" } ?? "stateOfCharge=\(percent ?? 0)"
        let client = try HubClient()
        let name = device.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? device
        let data = try await client.get(
            "/devices/\(name)/what-if?\(amount)&readyBy=\(readyBy.formatted(.iso8601))")
        if given.has("json") {
            Console.out(String(decoding: data, as: UTF8.self))
        } else {
            let answer = try client.read(Answer.self, data, with: EnergyKitJSON.decoder())
            show(answer, try await timeZone(of: name, client))
        }
        return .success
    }

    private struct DeviceRow: Decodable {
        var venueID: UUID
    }

    /// The zone in which the hub's sentences tell times: the home's.
    private static func timeZone(of device: String, _ client: HubClient) async throws -> TimeZone {
        let venue = try await client.value(DeviceRow.self, "/devices/\(device)").venueID
        let venues = try await client.value([ClientCommands.VenueRow].self, "/venues")
        return venues.first { $0.id == venue }.flatMap { TimeZone(identifier: $0.timeZone) } ?? .gmt
    }

    private static func show(_ answer: Answer, _ zone: TimeZone) {
        Console.out("\(answer.plan.deviceID): \(answer.plan.reason)")
        if let cost = money(answer.plan.cost, answer.plan), let now = money(answer.plan.costIfStartedNow, answer.plan) {
            Console.out("\(cost) by plan, \(now) if started now")
        }
        if let current = answer.current, let cost = money(current.cost, current) {
            Console.out("the plan in force costs \(cost): \(current.reason)")
        }
        for other in answer.others { Console.out("\(other.deviceID) then: \(other.reason)") }
        let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().dateTimeSeparator(.space)
            .time(includingFractionalSeconds: false)
        Console.table(
            ["from", "to", "kW"],
            answer.plan.intervals.map {
                [
                    $0.start.formatted(style), $0.end.formatted(style),
                    $0.powerWatts.map { String(format: "%.2f", $0 / 1000) } ?? "–",
                ]
            })
    }

    private static func money(_ amount: Double?, _ plan: Answer.Plan) -> String? {
        amount.map { String(format: "%.2f %@", $0, plan.currency ?? "") }
    }
}
