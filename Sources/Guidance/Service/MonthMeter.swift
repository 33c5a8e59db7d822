package import Foundation
package import HubKit
package import Storage

/// Counts the energy that each home took from the grid in the running month of its wall clock, for prices with tiers.
///
/// The grid meter's counter at the turn of the month is kept on disk. A month whose turn was not seen is not known: a count that begins
/// somewhere in it would choose too low a tier.
package actor MonthMeter {
    /// The counter when a month began.
    private struct Start: Codable, Equatable {
        /// `2026-02`.
        var month: String
        var wattHours: Double
        /// Whether the counter was read at the turn of the month.
        var isWhole: Bool
        /// The last reading, to tell a turn that was seen from one in a gap.
        var lastAt: Date
    }

    private let board: DeviceBoard
    private let venues: VenueRegistry
    private let store: HubStore
    private let clock: any HubClock
    private let log: HubLog
    private var starts: [DeviceID: Start] = [:]

    /// The turn counts as seen when the readings around it are no further apart than this, in seconds.
    private static let allowedGap = 3 * 3600.0

    /// Makes a meter over the grid meters on the board.
    package init(board: DeviceBoard, venues: VenueRegistry, store: HubStore, clock: any HubClock, log: HubLog) {
        self.board = board
        self.venues = venues
        self.store = store
        self.clock = clock
        self.log = log.labelled("guidance")
    }

    /// Looks every few minutes until the task is cancelled.
    package func run() async {
        while (try? await clock.sleep(seconds: 600)) != nil { await look() }
    }

    /// Reads the counters on the board once.
    package func look() async {
        for device in board.all where device.configuration.role == .grid {
            guard let reading = device.reading, let counter = reading[.importWattHours],
                let venue = venues[device.configuration.venueID]
            else { continue }
            await take(counter, at: reading.at, of: device.configuration.id, in: venue.timeZone)
        }
    }

    /// The energy a home took since its month began, in kWh; nil where that is not known.
    package func kilowattHours(at venue: UUID) -> Double? {
        let meters = board.all.filter { $0.configuration.role == .grid && $0.configuration.venueID == venue }
        var sum = 0.0
        for meter in meters {
            guard let start = starts[meter.configuration.id], start.isWhole, let reading = meter.reading,
                let counter = reading[.importWattHours], counter >= start.wattHours, let zone = venues[venue]?.timeZone,
                Self.month(of: clock.now, in: zone) == start.month
            else { return nil }
            sum += (counter - start.wattHours) / 1000
        }
        return meters.isEmpty ? nil : sum
    }

    private func take(_ counter: Double, at moment: Date, of id: DeviceID, in zone: TimeZone) async {
        let month = Self.month(of: moment, in: zone)
        let before: Start?
        if let known = starts[id] { before = known } else { before = await stored(id) }
        var start =
            before ?? Start(month: month, wattHours: counter, isWhole: false, lastAt: moment)
        if start.month != month || counter < start.wattHours {
            // A counter that was reset makes the rest of its month unknown.
            let isSeen = start.month != month && moment.timeIntervalSince(start.lastAt) <= Self.allowedGap
            start = Start(month: month, wattHours: counter, isWhole: isSeen, lastAt: moment)
        }
        // On disk about once an hour: that is what the gap is measured by after a restart.
        let isNews = start.month != before?.month || start.wattHours != before?.wattHours
        guard isNews || starts[id] == nil || moment.timeIntervalSince(start.lastAt) >= 3000 else { return }
        start.lastAt = moment
        starts[id] = start
        do {
            let text = String(decoding: try JSONEncoder().encode(start), as: UTF8.self)
            try await store.keep(setting: text, key: "month", device: id)
        } catch {
            log.warning("the month's energy could not be written: \(plainWords(of: error))")
        }
    }

    private func stored(_ id: DeviceID) async -> Start? {
        guard let text = try? await store.setting("month", device: id) else { return nil }
        return try? JSONDecoder().decode(Start.self, from: Data(text.utf8))
    }

    private static func month(of moment: Date, in zone: TimeZone) -> String {
        String(LocalClock(zone: zone).day(at: moment).text().prefix(7))
    }
}
