public import Foundation

extension AnyLoadEvent: Codable {
    private enum Key: String, CodingKey {
        case measurement, status
    }

    private enum MeasurementKey: String, CodingKey {
        case stage, stateOfCharge
    }

    /// Reads whichever event the JSON is.
    /// - Throws: `DecodingError` that names the place in a batch if the measurement is of no known kind, or of two.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        guard json.contains(.measurement) else {
            guard json.contains(.status) else {
                throw Self.unknownKind(decoder, "it has neither a measurement nor a status")
            }
            self = .electricVehicleStatus(try ElectricVehicleStatusEvent(from: decoder))
            return
        }
        let measurement = try json.nestedContainer(keyedBy: MeasurementKey.self, forKey: .measurement)
        switch (measurement.contains(.stateOfCharge), measurement.contains(.stage)) {
        case (true, false): self = .electricVehicle(try ElectricVehicleLoadEvent(from: decoder))
        case (false, true): self = .hvac(try ElectricHVACLoadEvent(from: decoder))
        case (true, true): throw Self.unknownKind(decoder, "its measurement has both stateOfCharge and stage")
        case (false, false): throw Self.unknownKind(decoder, "its measurement has neither stateOfCharge nor stage")
        }
    }

    /// Writes the event's own JSON.
    public func encode(to encoder: any Encoder) throws {
        try event.encode(to: encoder)
    }

    private static func unknownKind(_ decoder: any Decoder, _ reason: String) -> DecodingError {
        let index = decoder.codingPath.last?.intValue.map { " \($0)" } ?? ""
        return .dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "event\(index) breaks the rule \(LoadEventRule.malformed.rawValue): \(reason)"))
    }
}

extension AnyLoadEvent {
    /// Reads a batch of events: the body of a submission.
    /// - Parameter json: a JSON array of load events.
    /// - Throws: `EnergyKitFailure` with `invalidLoadEvent` that says which event and which member is wrong.
    public static func batch(from json: Data) throws(EnergyKitFailure) -> [AnyLoadEvent] {
        do {
            return try EnergyKitJSON.decoder().decode([AnyLoadEvent].self, from: json)
        } catch let error as DecodingError {
            let (index, reason) = error.eventIndexAndReason
            throw EnergyKitFailure(InvalidLoadEvent(index: index, rule: .malformed, detail: reason))
        } catch {
            throw EnergyKitFailure(InvalidLoadEvent(rule: .malformed, detail: "the text is not JSON"))
        }
    }
}

extension DecodingError {
    /// The place in the batch, if the error is inside one, and the reason in words with the member's path.
    fileprivate var eventIndexAndReason: (index: Int?, reason: String) {
        let (context, reason): (Context, String) =
            switch self {
            case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
            case .valueNotFound(_, let context): (context, "is null where a value is needed")
            case .typeMismatch(_, let context), .dataCorrupted(let context): (context, context.debugDescription)
            @unknown default: (Context(codingPath: [], debugDescription: ""), "\(self)")
            }
        let path = context.codingPath
        let member = path.dropFirst().map(\.stringValue).joined(separator: ".")
        return (path.first?.intValue, member.isEmpty ? reason : "\(member): \(reason)")
    }
}
