extension DeviceProfile {
    /// The same profile for one device: with what its connection says in every place that a profile leaves open.
    /// - Parameter connection: how the device is reached.
    public func filled(for connection: DeviceConnection) -> DeviceProfile {
        switch connection {
        case .mqtt(let topic): filled(topic: topic.topic, parameters: topic.parameters)
        case .http(let address): filled(parameters: address.parameters)
        case .modbusTCP, .modbusRTU, .ocpp, .none: self
        }
    }

    /// The same profile for one device: with its topic and its parameters in every place that names them.
    ///
    /// What stands for a number of a command stays.
    /// - Parameters:
    ///   - topic: what `{topic}` stands for; the profile's own where it is not given.
    ///   - parameters: what a person filled in.
    public func filled(topic: String? = nil, parameters: [String: String]) -> DeviceProfile {
        var values: [String: String] = [:]
        for parameter in self.parameters { values[parameter.name] = parameters[parameter.name] ?? parameter.fallback }
        var profile = self
        let fill = { (text: String) in TextTemplate(text).filled(values) }
        switch link {
        case .modbus: return self
        case .mqtt(var topics):
            values["topic"] = topic ?? topics.topic.map { TextTemplate($0).filled(values) }
            for index in topics.messages.indices { topics.messages[index].fill(fill) }
            topics.alive?.fill(fill)
            profile.link = .mqtt(topics)
        case .http(var requests):
            for index in requests.requests.indices { requests.requests[index].fill(fill) }
            profile.link = .http(requests)
        }
        for index in profile.fieldPoints.indices {
            let point = profile.fieldPoints[index]
            profile.fieldPoints[index].path = point.path.map(fill)
            profile.fieldPoints[index].codes = Dictionary(point.codes.map { (fill($0.key), $0.value) }) { first, _ in
                first
            }
        }
        profile.commands = commands.mapValues { $0.map { $0.filled(fill) } }
        profile.watchdog?.feed = watchdog?.feed.map { $0.filled(fill) } ?? []
        return profile
    }
}

extension ProfileMessage {
    fileprivate mutating func fill(_ fill: (String) -> String) {
        topic = fill(topic)
        time = time.map(fill)
        if let question = ask { ask?.topic = fill(question.topic) }
        if let question = ask { ask?.payload = fill(question.payload) }
    }
}

extension ProfilePresence {
    fileprivate mutating func fill(_ fill: (String) -> String) {
        topic = fill(topic)
        path = path.map(fill)
        online = online.map(fill)
    }
}

extension ProfileRequest {
    fileprivate mutating func fill(_ fill: (String) -> String) {
        path = fill(path)
        body = body.map(fill)
        time = time.map(fill)
    }
}

extension ProfileAction {
    fileprivate func filled(_ fill: (String) -> String) -> ProfileAction {
        guard case .send(var sending) = self else { return self }
        switch sending.place {
        case .topic(let topic, let isRetained): sending.place = .topic(fill(topic), isRetained: isRetained)
        case .request(let method, let path): sending.place = .request(method: method, path: fill(path))
        }
        sending.payload = sending.payload.map(fill)
        if let answer = sending.answer {
            sending.answer = ProfileAnswer(path: fill(answer.path), values: answer.values)
        }
        return .send(sending)
    }
}
