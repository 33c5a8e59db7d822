package import HubKit

extension DeviceProfile {
    /// Every topic that a device speaks and listens at, or every path that it is asked and told at: with placeholders,
    /// or without, in one order.
    var places: [String] {
        switch link {
        case .modbus: []
        case .mqtt(let topics):
            topics.messages.flatMap { [$0.topic, $0.ask?.topic].compactMap(\.self) }
                + [topics.alive?.topic].compactMap(\.self) + commandPlaces
        case .http(let requests): requests.requests.map(\.path) + commandPlaces
        }
    }

    private var sendings: [ProfileSending] {
        let actions = ProfileCommand.allCases.flatMap { commands[$0] ?? [] } + (watchdog?.feed ?? [])
        return actions.compactMap { if case .send(let sending) = $0 { sending } else { nil } }
    }

    private var commandPlaces: [String] { sendings.map(\.place.text) }

    /// Whether any topic is told from the device's own.
    var usesTopic: Bool { places.contains { TextTemplate($0).names.contains("topic") } }

    /// The topics that a device listens at and its parameters name, each with a payload that it takes there.
    /// - Parameter connection: how it is reached, with the parameters.
    package func commandTopics(for connection: DeviceConnection) -> [(
        parameter: String, topic: String, payload: String
    )] {
        guard case .mqtt = link else { return [] }
        let own = Set(parameters.map(\.name))
        return zip(sendings, filled(for: connection).sendings).compactMap { template, sending in
            let name = TextTemplate(template.place.text).names.first { own.contains($0) }
            return name.map { ($0, sending.place.text, sending.payload ?? "") }
        }
    }

    /// Two parameters that name one topic at which a device is told the same.
    func sharedCommandTopic(for connection: DeviceConnection) -> (one: String, other: String, topic: String)? {
        var first: [[String]: String] = [:]
        for (parameter, topic, payload) in commandTopics(for: connection).sorted(by: { $0.parameter < $1.parameter }) {
            if let one = first[[topic, payload]], one != parameter { return (one, parameter, topic) }
            first[[topic, payload]] = parameter
        }
        return nil
    }
}

extension ProfileSending.Place {
    fileprivate var text: String {
        switch self {
        case .topic(let topic, _): topic
        case .request(_, let path): path
        }
    }
}
