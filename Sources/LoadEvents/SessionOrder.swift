import EnergyKit
import Foundation
import Storage

/// What a session's events so far fix for the next: device, direction, begin and end.
struct SessionOrder: Sendable {
    /// A moment and, among events of one moment, the order they came in.
    private struct Place: Comparable, Sendable {
        var at: Date
        var order: Int

        static func < (first: Place, second: Place) -> Bool {
            (first.at, first.order) < (second.at, second.order)
        }
    }

    private let deviceID: String
    private let flow: String
    private var begin: Place?
    private var end: Place?
    private var first: Place
    private var last: Place
    /// Whether all its events came in one call.
    private(set) var isWhole: Bool

    /// A session that the store knows: all its events come before those of the batch.
    init(_ facts: SessionFacts) {
        func place(_ stored: SessionFacts.Place) -> Place {
            // Stored events precede every new one of the same moment; among themselves the order is no longer asked.
            Place(at: stored.at, order: -1)
        }
        deviceID = facts.deviceID
        flow = facts.sample.event.flowName
        begin = facts.begin.map(place)
        end = facts.end.map(place)
        (first, last) = (place(facts.first), place(facts.last))
        isWhole = false
    }

    /// A session that begins with this event.
    init(_ event: AnyLoadEvent, order: Int) {
        let place = Place(at: event.timestamp, order: order)
        deviceID = event.deviceID
        flow = event.flowName
        begin = event.stateName == "begin" ? place : nil
        end = event.stateName == "end" ? place : nil
        (first, last) = (place, place)
        isWhole = true
    }

    /// The same session for the next submission: all its events precede that one's events of the same moment.
    var onceStored: SessionOrder {
        func stored(_ place: Place) -> Place { Place(at: place.at, order: -1) }
        var session = self
        session.begin = begin.map(stored)
        session.end = end.map(stored)
        (session.first, session.last) = (stored(first), stored(last))
        session.isWhole = false
        return session
    }

    /// Whether both its begin and its end are known.
    var isComplete: Bool { begin != nil && end != nil }

    /// Adds an event.
    /// - Returns: the rule that it breaks, with what was found.
    mutating func add(_ event: AnyLoadEvent, order: Int) -> (LoadEventRule, String)? {
        guard event.deviceID == deviceID else {
            return (.sessionOfAnotherDevice, "devices \(deviceID) and \(event.deviceID)")
        }
        guard event.flowName == flow else { return (.twoDirections, "\(flow) and \(event.flowName)") }
        let place = Place(at: event.timestamp, order: order)
        if event.stateName == "begin" {
            if begin != nil { return (.beforeBegin, "a second begin") }
            if first < place { return (.beforeBegin, "a begin after other events of its session") }
            begin = place
        }
        if let begin, place < begin { return (.beforeBegin, event.stateName ?? "") }
        if let end, place > end { return (.afterEnd, event.stateName ?? "") }
        if event.stateName == "end" {
            if end != nil { return (.afterEnd, "a second end") }
            if place < last { return (.afterEnd, "an end before other events of its session") }
            end = place
        }
        first = min(first, place)
        last = max(last, place)
        return nil
    }
}
