public import Foundation

extension AnyLoadEvent: Codable {
    private enum Key: String, CodingKey {
        case measurement, status
    }

    private enum MeasurementKey: String, CodingKey {
        case stage, stateOfCharge, direction
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
        let isVehicle = measurement.contains(.stateOfCharge) || measurement.contains(.direction)
        switch (isVehicle, measurement.contains(.stage)) {
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
                debugDescription: "event\(index)\(malformedMark)\(reason)"))
    }

    fileprivate static let malformedMark = " breaks the rule \(LoadEventRule.malformed.rawValue): "
}

extension AnyLoadEvent {
    /// Reads a batch of events: the body of a submission.
    /// - Parameter json: a JSON array of load events.
    /// - Throws: `EnergyKitFailure` with `invalidLoadEvent` that says which event and which member is wrong.
    public static func batch(from json: Data) throws(EnergyKitFailure) -> [AnyLoadEvent] {
        let slots: [BatchSlot]
        do {
            slots = try EnergyKitJSON.decoder().decode([BatchSlot].self, from: json)
        } catch {
            throw EnergyKitFailure(InvalidLoadEvent(rule: .malformed, detail: "the text is not a JSON array"))
        }
        var events: [AnyLoadEvent] = []
        events.reserveCapacity(slots.count)
        for (index, slot) in slots.enumerated() {
            switch slot.result {
            case .success(let event): events.append(event)
            case .failure(let error):
                throw EnergyKitFailure(
                    InvalidLoadEvent(index: index, eventID: slot.id, rule: .malformed, detail: error.reason))
            }
        }
        return events
    }
}

/// One element of a batch, read or not; so its place is known even where the decoder's error does not tell it.
private struct BatchSlot: Decodable {
    let id: UUID?
    let result: Result<AnyLoadEvent, DecodingError>

    init(from decoder: any Decoder) throws {
        do throws(any Error) {
            let event = try AnyLoadEvent(from: decoder)
            (id, result) = (event.id, .success(event))
        } catch let error as DecodingError {
            let json = try? decoder.container(keyedBy: LoadEventKey.self)
            (id, result) = (try? json?.decode(UUID.self, forKey: .id), .failure(error))
        }
    }
}

extension DecodingError {
    /// The reason in words, with the member's path inside its event.
    fileprivate var reason: String {
        let path =
            switch self {
            case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
                .dataCorrupted(let context):
                context.codingPath
            @unknown default: [] as [any CodingKey]
            }
        // The batch's error names event and rule already.
        let own =
            plainReason.split(separator: AnyLoadEvent.malformedMark, maxSplits: 1).last.map(String.init) ?? plainReason
        let member = path.dropFirst().map(\.stringValue).joined(separator: ".")
        return member.isEmpty ? own : "\(member): \(own)"
    }
}
