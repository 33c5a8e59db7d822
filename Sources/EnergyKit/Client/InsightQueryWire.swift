import Foundation

/// A question about insights as it travels: every range and every device can be asked for, also where no hub could take
/// the words of it.
enum InsightQueryWire {
    /// The days within which times can be written with any offset: the years 0 to 9999 but for their edges.
    private static let writable = -62_167_000_000.0...253_402_000_000.0

    /// Start and end as ISO 8601; a range that reaches beyond the years that can be written ends at their border.
    static func range(_ range: DateInterval) -> (start: String, end: String) {
        (text(range.start), text(range.end))
    }

    private static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let known = seconds.isNaN ? 0 : min(max(seconds, writable.lowerBound), writable.upperBound)
        return EnergyKitJSON.string(from: Date(timeIntervalSince1970: known)) ?? ""
    }

    /// The device to ask for.
    ///
    /// Of an id that no event can have nothing is known, so any other of the kind stands for it.
    static func device(_ id: String) -> String { LoadDeviceID.isPossible(id) ? id : " " }
}
