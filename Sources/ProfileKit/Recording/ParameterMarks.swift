package import HubKit

/// What stands in a recording for those parameters of a device that say where things are in a person's home: topics,
/// names within them, and paths of addresses.
///
/// A number alone and what the profile says itself tell nobody anything, and stay.
package struct ParameterMarks: Sendable {
    /// The parameters, with marks such as `{lock_state_topic}` for what is the person's.
    package let parameters: [String: String]
    /// Topics and paths that are made from parameters, each with what stands for it.
    let places: [String: String]
    /// These and the values of parameters, each with what stands for it in any other text.
    let words: [String: String]

    /// Finds them.
    /// - Parameters:
    ///   - device: the device with its parameters.
    ///   - profile: its profile with placeholders.
    package init(of device: DeviceConfiguration, _ profile: DeviceProfile?) {
        let (given, topic): ([String: String], String?) =
            switch device.connection {
            case .mqtt(let topic): (topic.parameters, topic.topic)
            case .http(let address): (address.parameters, nil)
            case .modbusTCP, .modbusRTU, .ocpp, .none: ([:], nil)
            }
        guard let profile, !given.isEmpty else {
            (parameters, places, words) = (given, [:], [:])
            return
        }
        let marks = Self.marks(given, profile)
        parameters = given.mapValues { marks[$0] ?? $0 }
        let (real, marked) = (
            profile.filled(topic: topic, parameters: given),
            profile.filled(topic: TrafficCleaner.topicMark, parameters: parameters)
        )
        places = Dictionary(zip(real.places, marked.places)) { first, _ in first }
        let known = profile.vocabulary
        words = places.merging(marks) { place, _ in place }.filter { !known.contains($0.key) }
    }

    /// One mark for each value, so that two parameters of one topic stay one.
    private static func marks(_ given: [String: String], _ profile: DeviceProfile) -> [String: String] {
        var texts = profile.places
        if case .mqtt(let topics) = profile.link { texts += [topics.topic].compactMap(\.self) }
        let named = Set(texts.flatMap { TextTemplate($0).names })
        let fallbacks = Set(profile.parameters.compactMap(\.fallback))
        var marks: [String: String] = [:]
        for parameter in profile.parameters where named.contains(parameter.name) {
            guard let value = given[parameter.name], !fallbacks.contains(value), marks[value] == nil,
                value.contains(where: { !$0.isNumber })
            else { continue }
            // A path stays one that begins as paths do.
            marks[value] = (value.hasPrefix("/") ? "/" : "") + "{\(parameter.name)}"
        }
        return marks
    }
}

extension DeviceProfile {
    /// The words that a device and its profile have in common; taken out of a payload, it could not be read again.
    fileprivate var vocabulary: Set<String> {
        var words = Set(parameters.map(\.name) + fieldPoints.map(\.template.name) + (link.sourceNames ?? []))
        words.formUnion(sums.map(\.name))
        for point in fieldPoints {
            words.formUnion((point.path ?? "").split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
            words.formUnion(point.codes.keys)
            words.formUnion(point.unavailable)
        }
        let conditions =
            (states.plug.map(\.when) + states.charging.map(\.when) + states.mode.map(\.when) + states.reduce.map(\.when))
            .joined()
        for condition in conditions {
            if case .anyOf(let values) = condition.test { words.formUnion(values.compactMap(\.text)) }
        }
        return words
    }
}

extension DeviceRecording {
    /// The recording with names in place of the marks of parameters, for a device that only looks like the one that was
    /// recorded.
    /// - Parameter name: what it is called.
    package func named(_ name: String) -> DeviceRecording {
        let given = head.parameters ?? [:]
        let marks = given.keys.filter { key in given.values.contains { $0.contains("{\(key)}") } }.sorted()
        guard !marks.isEmpty else { return self }
        let fill = { (text: String) in
            marks.reduce(text) { $0.replacing("{\($1)}", with: "\(name)_\($1)") }
        }
        var recording = self
        recording.head.parameters = given.mapValues(fill)
        for index in exchanges.indices {
            if let message = exchanges[index].message {
                recording.exchanges[index].message?.topic = fill(message.topic)
                recording.exchanges[index].message?.payload = fill(message.payload)
            }
            if let request = exchanges[index].request {
                recording.exchanges[index].request?.path = fill(request.path)
                recording.exchanges[index].request?.body = request.body.map(fill)
                recording.exchanges[index].request?.answer = request.answer.map(fill)
            }
        }
        return recording
    }
}
