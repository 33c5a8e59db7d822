/// What a device id in a load event may be.
package enum LoadDeviceID {
    /// The most characters.
    package static let longest = 128

    /// The rule that no device id keeps which is written like this, with what was found; nil for one that may be.
    package static func breach(_ id: String) -> (LoadEventRule, String)? {
        if isPlain(id) { return nil }
        if id.isEmpty { return (.emptyDeviceID, "") }
        // Characters may be of many scalars each, so both are bounded.
        if id.count > longest || id.utf8.count > 4 * longest {
            return (.deviceID, "one of \(id.utf8.count) bytes")
        }
        if id.unicodeScalars.contains(where: { invisible.contains($0.properties.generalCategory) }) {
            return (.deviceID, id.debugDescription)
        }
        return id.allSatisfy(\.isWhitespace) ? (.deviceID, "nothing but spaces") : nil
    }

    /// Whether a load event may name it.
    package static func isPossible(_ id: String) -> Bool { breach(id) == nil }

    /// Whether a name is of visible ASCII and not too long, as nearly every one is: a look at each character's properties
    /// takes longer than all other rules together.
    private static func isPlain(_ id: String) -> Bool {
        let bytes = id.utf8
        return (1...longest).contains(bytes.count) && bytes.allSatisfy { 0x20 < $0 && $0 < 0x7F }
    }

    private static let invisible: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
    ]
}
