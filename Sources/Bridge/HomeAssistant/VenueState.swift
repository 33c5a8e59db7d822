import Control
import EnergyKit
import Foundation

/// What a home's guidance says of this moment, and when the next good hours are.
struct VenueState: Encodable, Equatable, Sendable {
    var rating: Double?
    var pricePerKWh: Double?
    var gramsCO2PerKWh: Double?
    /// The next stretch of good hours, or the one that runs.
    var goodFrom: Date?
    var goodUntil: Date?
    /// What all chargers may draw together now, where something limits them from outside.
    var limitWatts: Double?
    /// Whether anybody is there, where another system tells it.
    var presence: Presence?

    /// Nothing is known.
    init() {}

    /// Reads a guidance for charging at a moment.
    init(_ guidance: ElectricityGuidance, at now: Date) {
        let coming = guidance.values.filter { $0.interval.end > now }
        if let value = coming.first, value.interval.start <= now {
            rating = value.rating
            pricePerKWh = value.pricePerKWh
            gramsCO2PerKWh = value.gramsCO2PerKWh
        }
        guard let first = coming.firstIndex(where: { $0.rating <= GoodHour.worstRating }) else { return }
        goodFrom = coming[first].interval.start
        goodUntil = coming[first].interval.end
        for value in coming[(first + 1)...] where value.interval.start == goodUntil {
            guard value.rating <= GoodHour.worstRating else { break }
            goodUntil = value.interval.end
        }
    }

    /// When this changes by itself: at the end of the slot that runs, or the beginning of the next.
    static func nextChange(of guidance: ElectricityGuidance, after now: Date) -> Date? {
        guidance.values.lazy.flatMap { [$0.interval.start, $0.interval.end] }.first { $0 > now }
    }
}
