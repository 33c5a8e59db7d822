import EnergyKit
import Foundation
package import Storage

/// Load events as sinks outside the house get them: each with its place in the order of acceptance and its home.
///
/// ## File Format
/// `[{"sequence":12,"venueID":"…","kind":"electricVehicle","event":{…}},…]`; the event is the text that is on disk.
package enum EventEnvelope {
    /// The JSON array of the events.
    /// - Throws: `EncodingError` for an event that can't be written.
    package static func json(_ events: [StoredEvent]) throws -> String {
        var text = "["
        for event in events {
            if text.utf8.count > 1 { text += "," }
            text += #"{"sequence":\#(event.sequence),"venueID":"\#(event.venueID.uuidString)","#
            text += #""kind":"\#(event.kind)","event":\#(try event.json())}"#
        }
        return text + "]"
    }
}

extension StoredEvent {
    /// What kind of event it is, as a word for other programs.
    var kind: String {
        switch event {
        case .electricVehicle: "electricVehicle"
        case .hvac: "hvac"
        case .electricVehicleStatus: "electricVehicleStatus"
        }
    }
}
