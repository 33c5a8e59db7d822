import EnergyKit
import Foundation
import HubKit

/// What Home Assistant is told of one device: the device itself and all its entities, in one retained message.
///
/// The form is Home Assistant's device-based discovery (2024.11 and later): root keys hold for all components, and a
/// component's key and `unique_id` are its identity, so both stay the same when a device is renamed.
struct DiscoveryDocument: Encodable, Sendable {
    /// How Home Assistant shows the device.
    struct Device: Encodable, Sendable {
        var identifiers: [String]
        var name: String
        var manufacturer = "Offpeak"
        var model: String?
        var swVersion: String
    }

    /// Who says all this.
    struct Origin: Encodable, Sendable {
        var name = DiscoveryDocument.originName
        var swVersion: String
    }

    /// A topic that says whether values can be believed.
    struct Availability: Encodable, Sendable, Equatable {
        var topic: String
    }

    static let originName = "Offpeak"

    var device: Device
    var origin: Origin
    var availability: [Availability]
    var availabilityMode = "all"
    var stateTopic: String
    var qos = 1
    /// The entities by their stable keys.
    var components: [String: DiscoveryEntity]

    /// Announces a device or home.
    /// - Parameters:
    ///   - object: its stable name, from which its entities' own are made.
    ///   - name: what people call it.
    ///   - model: what kind of device it is.
    ///   - version: the hub's.
    ///   - availability: the topics that all have to say `online`.
    ///   - stateTopic: where its values stand.
    ///   - components: its entities by their stable keys.
    init(
        object: String, name: String, model: String?, version: String, availability: [Availability],
        stateTopic: String, components: [String: DiscoveryEntity]
    ) {
        device = Device(identifiers: [object], name: name, model: model, swVersion: version)
        origin = Origin(swVersion: version)
        self.availability = availability
        self.stateTopic = stateTopic
        self.components = components
        for key in components.keys { self.components[key]?.uniqueId = "\(object)_\(key)" }
    }

    /// The message.
    /// - Throws: `EncodingError`.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// One entity of Home Assistant; what is absent is left out.
struct DiscoveryEntity: Encodable, Sendable, Equatable {
    /// The kinds of entity that are used.
    enum Platform: String, Encodable, Sendable {
        case sensor
        case binarySensor = "binary_sensor"
        case select, number, climate
    }

    var platform: Platform
    var uniqueId = ""
    var name: String?
    var stateTopic: String?
    var valueTemplate: String?
    var deviceClass: String?
    var stateClass: String?
    var unitOfMeasurement: String?
    var suggestedDisplayPrecision: Int?
    var entityCategory: String?
    var icon: String?
    var availability: [DiscoveryDocument.Availability]?
    var commandTopic: String?
    var commandTemplate: String?
    var options: [String]?
    var min: Double?
    var max: Double?
    var step: Double?
    var mode: String?
    var payloadReset: String?
    // Climate alone.
    var modes: [String]?
    var modeCommandTopic: String?
    var modeCommandTemplate: String?
    var modeStateTopic: String?
    var modeStateTemplate: String?
    var temperatureCommandTopic: String?
    var temperatureStateTopic: String?
    var temperatureStateTemplate: String?
    var currentTemperatureTopic: String?
    var currentTemperatureTemplate: String?
    var actionTopic: String?
    var actionTemplate: String?
    var minTemp: Double?
    var maxTemp: Double?
    var tempStep: Double?
    var temperatureUnit: String?

    init(_ platform: Platform, name: String?) {
        self.platform = platform
        self.name = name
    }
}

extension DiscoveryEntity {
    /// A template for a value of the flat state, which it calls `v`; also for the empty message that clears the state of a
    /// device that is gone, which Home Assistant may see before the entity has left.
    static func shown(_ expression: String) -> String {
        "{% set v = value_json | default({}) %}{{ \(expression) }}"
    }

    /// A value of the flat state; unknown where the state lacks it, and never zero (field case M-4).
    static func sensor(
        _ name: String, _ member: String, unit: String? = nil, class deviceClass: String? = nil,
        state: String? = "measurement", precision: Int? = nil
    ) -> DiscoveryEntity {
        var entity = DiscoveryEntity(.sensor, name: name)
        entity.valueTemplate = DiscoveryEntity.shown("v.\(member) | default(none)")
        entity.unitOfMeasurement = unit
        entity.deviceClass = deviceClass
        entity.stateClass = state
        entity.suggestedDisplayPrecision = precision
        return entity
    }

    /// A lifetime counter in watt-hours, shown in kilowatt-hours as the energy dashboard wants it.
    static func energy(_ name: String, _ member: String) -> DiscoveryEntity {
        var entity = sensor(
            name, member, unit: "kWh", class: "energy", state: "total_increasing", precision: 1)
        entity.valueTemplate =
            DiscoveryEntity.shown("(v.\(member) / 1000) | round(3) if v.\(member) is defined else none")
        return entity
    }

    /// Whether the flat state's member is one of some words; unknown where it lacks it.
    static func binary(
        _ name: String, _ member: String, isOneOf words: [String], class deviceClass: String
    ) -> DiscoveryEntity {
        var entity = DiscoveryEntity(.binarySensor, name: name)
        let list = words.map { "'\($0)'" }.joined(separator: ", ")
        entity.valueTemplate =
            DiscoveryEntity.shown("none if v.\(member) is not defined else 'ON' if v.\(member) in [\(list)] else 'OFF'")
        entity.deviceClass = deviceClass
        return entity
    }
}
