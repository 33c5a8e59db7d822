import EnergyKit
import Foundation

/// No stretch of time between two events, and so no quarter-hour, holds more energy than the connection can carry.
///
/// Events come to know of energy late: a sample at the quarter's mark has the counter of the reading before it, a coarse
/// counter steps at once by what flowed in minutes, and a counter that was lost sight of catches up. Each event tells as
/// much as can have flowed since the one before; the rest follows with the next ones. What is still untold at the end
/// makes the end later, so that the sum is right too.
extension EVSessionMachine {
    /// The most that can flow, in watts.
    private var maximumWatts: Double { imported.maximumWatts }

    /// An `active` event, noted in the session.
    func sample(_ session: inout Session, watts: Double, at moment: Date, _ writer: EVEventWriter) -> AnyLoadEvent {
        var wattHours = wattHours(since: session.start)
        if let told = session.toldWattHours {
            let seconds = max(moment.timeIntervalSince(session.lastEventAt), 0)
            wattHours = min(wattHours, told + maximumWatts * seconds / 3600)
        }
        (session.toldWattHours, session.lastEventAt) = (wattHours, moment)
        return writer.event(
            .active, session, watts: watts, wattHours: wattHours, isEstimated: isEstimated(since: session.start),
            at: moment)
    }

    /// The `end` of a session with all that was counted, at the moment or when all of it can have flowed.
    mutating func end(_ session: Session, at moment: Date, _ writer: EVEventWriter) -> AnyLoadEvent {
        let wattHours = wattHours(since: session.start)
        var moment = max(moment, session.lastEventAt)
        if let told = session.toldWattHours, maximumWatts > 0 {
            let seconds = (wattHours - told) / maximumWatts * 3600
            moment = max(moment, session.lastEventAt.addingTimeInterval(seconds))
        }
        endedAt = moment
        return writer.event(
            .end, session, watts: 0, wattHours: wattHours, isEstimated: isEstimated(since: session.start), at: moment)
    }
}
