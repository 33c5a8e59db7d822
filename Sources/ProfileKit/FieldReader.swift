import Foundation
import HubKit

/// Reads the points of a profile from the messages and answers that came.
struct FieldReader: Sendable {
    private let points: [(point: FieldPoint, path: JSONPath?)]

    /// Prepares the paths.
    init(_ profile: DeviceProfile) {
        points = profile.fieldPoints.map { ($0, $0.path.flatMap { JSONPath($0) }) }
    }

    /// What a source brought.
    enum Source: Sendable {
        case document(FieldDocument)
        /// Nothing that counts; why, and whether the device is none the worse.
        case nothing(String, isExpected: Bool)
    }

    /// The meaning of every point.
    var templates: [ProfilePoint] { points.map(\.point.template) }

    /// Reads every point.
    /// - Parameters:
    ///   - sources: what each message or request brought.
    ///   - place: what people call a source: its topic or path.
    func values(_ sources: [String: Source], place: (String) -> String) -> ProfileSession.Values {
        var values = ProfileSession.Values()
        var complaints = sources.sorted { $0.key < $1.key }.compactMap { name, source -> String? in
            if case .nothing(let why, false) = source { "\(place(name)) \(why)" } else { nil }
        }
        var missing: [String] = []
        for (point, path) in points {
            guard case .document(let document)? = sources[point.source] else { continue }
            let name = point.template.name
            if path != nil, let fault = document.fault {
                let complaint = "\(place(point.source)) \(fault)"
                if !complaints.contains(complaint) { complaints.append(complaint) }
                continue
            }
            switch FieldCoding.outcome(of: document.value(at: path), as: point) {
            case .value(let value):
                values.points[name] = value
                values.times[name] = document.at
            case .unavailable: continue
            case .missing: if !point.isOptional { missing.append(name) }
            case .doubt(let doubt): values.doubts[name] = doubt
            }
        }
        if !missing.isEmpty {
            complaints.append(
                "the device leaves out \(missing.sorted().joined(separator: ", ")); check that the profile fits its model and firmware"
            )
        }
        values.complaint = complaints.isEmpty ? nil : complaints.joined(separator: "; ")
        return values
    }

    /// Each point with what was really sent, then each source as a whole.
    func inspected(
        _ values: ProfileSession.Values, _ documents: [(name: String, place: String, document: FieldDocument?)],
        at now: Date
    ) -> [InspectedPoint] {
        let rows = points.map { point, path in
            let source = documents.first { $0.name == point.source }
            let raw = source?.document.flatMap { $0.value(at: path)?.plainText }
            let place = [source?.place ?? point.source, point.path ?? ""].filter { !$0.isEmpty }
            return InspectedPoint(
                name: point.template.name, value: values.text(of: point.template.name, point.template.quantity),
                raw: raw.map { $0.isEmpty ? "empty" : $0 } ?? "not there", place: place.joined(separator: " at "))
        }
        return rows
            + documents.map { name, place, document in
                InspectedPoint(
                    name: "(\(name))", value: document.map { Self.age(now.timeIntervalSince($0.at)) },
                    raw: document.map { $0.text.isEmpty ? "empty" : Self.line($0.text) } ?? "nothing came", place: place
                )
            }
    }

    private static func age(_ seconds: Double) -> String { "\(PlainNumber.text(max(0, seconds), decimals: 1)) s old" }

    /// A payload on one line, and not all of a long one.
    private static func line(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > 2000 ? words.prefix(2000) + "…" : words
    }
}
