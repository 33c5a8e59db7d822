import Foundation
package import HubKit
import WebServer

/// The power of every device over the last day, minute by minute, for the page's chart.
package actor PowerHistory {
    private struct Minute {
        var start: Double
        var sum: Double
        var count: Int
    }

    private let board: DeviceBoard
    private let clock: any HubClock
    private var minutes: [DeviceID: [Minute]] = [:]
    private static let capacity = 1440

    /// Makes an empty history.
    package init(board: DeviceBoard, clock: any HubClock) {
        self.board = board
        self.clock = clock
    }

    /// Collects until the task is cancelled.
    package func run() async {
        for await change in board.changes() {
            if Task.isCancelled { return }
            guard case .reading(let id) = change, let reading = board[id]?.reading, let watts = reading.powerWatts
            else { continue }
            note(watts, at: reading.at, of: id)
        }
    }

    private func note(_ watts: Double, at moment: Date, of id: DeviceID) {
        let start = (moment.timeIntervalSince1970 / 60).rounded(.down) * 60
        var series = minutes[id] ?? []
        if let last = series.last, last.start == start {
            series[series.count - 1].sum += watts
            series[series.count - 1].count += 1
        } else {
            series.append(Minute(start: start, sum: watts, count: 1))
            if series.count > PowerHistory.capacity { series.removeFirst(series.count - PowerHistory.capacity) }
        }
        minutes[id] = series
    }

    struct SeriesJSON: Encodable {
        var deviceID: String
        /// Seconds since 1970 and mean watts.
        var points: [[Double]]
    }

    func series(hours: Double) -> [SeriesJSON] {
        let from = clock.now.timeIntervalSince1970 - hours * 3600
        return minutes.keys.sorted().map { id in
            let points = (minutes[id] ?? []).filter { $0.start >= from }.map {
                [$0.start, ($0.sum / Double($0.count)).rounded()]
            }
            return SeriesJSON(deviceID: id.rawValue, points: points)
        }
    }
}

extension HubAPI {
    private struct HistoryJSON: Encodable { var series: [PowerHistory.SeriesJSON] }

    func history(_ request: HTTPRequest) async throws -> HTTPResponse {
        let text = request.query("hours") ?? "24"
        guard let hours = Double(text), (0...24).contains(hours) else {
            throw Problem.badRequest("hours is a number from 0 to 24, not '\(HTTPRequest.shown(text))'")
        }
        return try json(HistoryJSON(series: await services.history.series(hours: hours)))
    }

    func clockState() throws -> HTTPResponse {
        try json(ClockJSON(now: services.clock.now, speed: services.clock.speed))
    }
}
