import HubKit

/// Turns what stands in messages and answers into values and back; pure, so that it is tested without a device.
enum FieldCoding {
    /// What became of a value.
    enum Outcome: Sendable, Equatable {
        case value(PointValue)
        /// The device says that it does not know.
        case unavailable
        /// It is not there at all.
        case missing
        /// It can't be what the profile says it is; how it reads, as the end of a sentence.
        case doubt(String)
    }

    /// The value of a point.
    /// - Parameters:
    ///   - raw: what the device sent; nothing where it left it out.
    ///   - point: how to read it.
    static func outcome(of raw: JSONDocument?, as point: FieldPoint) -> Outcome {
        guard let raw else { return .missing }
        guard let text = raw.plainText else { return .doubt("is \(noun(raw)), not a single value") }
        if point.unavailable.contains(text) { return unavailable(point) }
        if !point.codes.isEmpty {
            guard let value = point.codes[text] else {
                return raw == .null
                    ? unavailable(point) : .doubt("reads '\(shown(text))', which the profile does not know")
            }
            return value.number.map { scaled($0, point) } ?? .value(value)
        }
        if raw == .null { return unavailable(point) }
        if point.template.isText { return .value(.text(text)) }
        return number(raw, text, point)
    }

    private static func number(_ raw: JSONDocument, _ text: String, _ point: FieldPoint) -> Outcome {
        switch raw {
        case .number(let number): return scaled(number, point)
        case .text:
            // Only what is written as a number is one: no hexadecimal, no infinity.
            let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
            guard isPlain, let number = Double(text), number.isFinite else {
                return .doubt("reads '\(shown(text))', which is no number")
            }
            return scaled(number, point)
        default: return .doubt("reads \(text), which is no number")
        }
    }

    private static func scaled(_ number: Double, _ point: FieldPoint) -> Outcome {
        let value = RegisterCoding.scaled(number, by: point.template.scale) + point.template.offset
        guard value.isFinite else { return .doubt("reads \(number), which is no number that can be") }
        return point.template.valid?.contains(value) == false ? .unavailable : .value(.number(value))
    }

    private static func unavailable(_ point: FieldPoint) -> Outcome {
        point.template.whenUnavailable.map { .value(.number($0)) } ?? .unavailable
    }

    private static func noun(_ raw: JSONDocument) -> String {
        if case .list = raw { "a list" } else { "an object" }
    }

    private static func shown(_ text: String) -> String {
        let line = String(text.prefix(40).map { $0.isNewline ? " " : $0 })
        return text.count > 40 ? line + "…" : line
    }

    /// The text of a number as a step wants it.
    /// - Throws: `HubError` when there is no value, or none that it takes.
    static func text(
        of number: Double?, for sending: ProfileSending, _ profile: String
    ) throws(HubError) -> String? {
        if case .constant = sending.value { return nil }
        guard let number, number.isFinite else {
            throw HubError(.refused, "there is no value for a command of \(profile)")
        }
        if let allowed = sending.allowed, !allowed.contains(number) {
            throw HubError(.refused, "\(profile) takes \(allowed.lowerBound) to \(allowed.upperBound), not \(number)")
        }
        return PlainNumber.text(number / sending.scale, decimals: sending.decimals)
    }
}
