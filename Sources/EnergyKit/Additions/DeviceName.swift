import Foundation

/// The rules for a device's name as it is shown.
///
/// At most 250 UTF-16 units, only letters, digits, white space, punctuation and symbols, and never empty. A name that
/// breaks them is mended, not refused.
enum DeviceName {
    private static let longest = 250

    /// The name to show for a device that calls itself `name`, falling back to its identifier and then its kind.
    static func shown(_ name: String?, deviceID: String, fallback: String) -> String {
        for candidate in [name, deviceID] {
            if let candidate, let mended = mended(candidate) { return mended }
        }
        return fallback
    }

    private static func mended(_ name: String) -> String? {
        var kept = ""
        var units = 0
        for character in name where character.unicodeScalars.allSatisfy(isAllowed) {
            let length = character.utf16.count
            guard units + length <= longest else { break }
            kept.append(character)
            units += length
        }
        let trimmed = kept.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar == "\t" || scalar == "\n" || scalar == "\r"
        case .surrogate, .privateUse, .unassigned: false
        case .format: scalar == "\u{200D}"  // joins the parts of one emoji
        default: true
        }
    }
}
