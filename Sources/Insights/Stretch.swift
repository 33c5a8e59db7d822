package import EnergyKit
import Foundation

/// What happened between two consecutive events of a session: half-open, spread evenly.
package struct Stretch: Sendable, Hashable {
    /// The time of the earlier event.
    package var start: Instant
    /// The time of the later event.
    package var end: Instant
    /// Where it stops counting: `end`, or before that the begin of a session that came after this one.
    package var cut: Instant
    /// Which way the energy flows.
    package var flow: ElectricityFlowDirection
    /// The energy from start to end in whole milliwatt-hours; absent where the device measures none.
    package var milliwattHours: Int64?
    /// Whether the device ran.
    package var isRunning: Bool
    /// The guidance that rates it: the one that the earlier event quotes.
    package var token: UUID?

    /// The silence after which nobody knows when in it the energy flowed: an hour.
    package static let longestGapMicroseconds: Int64 = 3_600_000_000

    /// The stretch between two events of a session.
    ///
    /// A counter that fell began again at 0: the later reading is the energy, never a negative difference. The device
    /// ran where energy flowed, or where the earlier event says so.
    package init(from earlier: LoadSample, to later: LoadSample, cut: Instant? = nil) {
        start = earlier.at
        end = later.at
        self.cut = cut.map { min($0, later.at) } ?? later.at
        flow = earlier.flow
        milliwattHours = earlier.milliwattHours.flatMap { before in
            later.milliwattHours.map { after in after >= before ? after - before : after }
        }
        isRunning = earlier.isRunning || (milliwattHours ?? 0) > 0
        token = earlier.token
    }

    /// Whether it was silent for so long that its energy counts but belongs to no known class.
    package var isSilent: Bool { end - start > Self.longestGapMicroseconds }

    /// The energy before a moment within it, in whole milliwatt-hours.
    ///
    /// Rounded as a running sum, so that parts between any moments always add up to the whole.
    package func milliwattHours(before moment: Instant) -> Int64 {
        guard let milliwattHours, moment > start else { return 0 }
        return moment >= end ? milliwattHours : share(of: milliwattHours, part: moment - start, whole: end - start)
    }
}

/// `amount · part / whole`, rounded to the nearest integer, exact for all of Int64's range.
/// - Parameters:
///   - amount: 0 or more.
///   - part: 0…whole.
///   - whole: above 0.
func share(of amount: Int64, part: Int64, whole: Int64) -> Int64 {
    let product = UInt64(amount).multipliedFullWidth(by: UInt64(part))
    let (quotient, rest) = UInt64(whole).dividingFullWidth(product)
    return Int64(rest >= UInt64(whole) - rest ? quotient + 1 : quotient)
}

extension Int64 {
    /// The sum, or the largest number where it does not fit: a counter gone mad must not stop the hub.
    mutating func addSaturating(_ other: Int64) {
        let (sum, overflows) = addingReportingOverflow(other)
        self = overflows ? .max : sum
    }
}
