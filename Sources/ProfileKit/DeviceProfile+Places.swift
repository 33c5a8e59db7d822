import HubKit

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
}

extension ProfileSending.Place {
    fileprivate var text: String {
        switch self {
        case .topic(let topic, _): topic
        case .request(_, let path): path
        }
    }
}
