import Foundation

extension EnergyKitJSON {
    /// The load event in a JSON text.
    ///
    /// A text in the form of `text(of:)` is read in one pass; any other goes to `decoder()`.
    /// - Throws: `DecodingError` where the text is no load event.
    package static func loadEvent(from text: String) throws -> AnyLoadEvent {
        var reader = LoadEventReader(text)
        if let event = reader.event() { return event }
        return try decoder().decode(AnyLoadEvent.self, from: Data(text.utf8))
    }
}

/// Reads what `LoadEventWriter` wrote; gives nothing for a text that is written in any other way.
private struct LoadEventReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    private enum Measured {
        case vehicle(ElectricVehicleLoadEvent.ElectricalMeasurement)
        case stage(Int)
    }

    mutating func event() -> AnyLoadEvent? {
        guard skip("{"), let device = device(), skip(#""deviceID":"#), let deviceID = string(), skip(#","id":"#),
            let id = uuid(), skip(#","measurement":{"#), let measured = measured(),
            skip(#"},"session":{"guidanceState":{"guidanceToken":"#), let token = uuid(),
            skip(#","wasFollowingGuidance":"#), let wasFollowing = bool(), skip(#"},"id":"#), let session = uuid(),
            skip(#","state":"#), let state = string(), skip(#"},"timestamp":"#), let time = string(),
            let moment = ISO8601Text.date(from: time), skip("}"), position == bytes.count,
            device.found.map({ $0.id == deviceID }) ?? true
        else { return nil }
        switch measured {
        case .vehicle(let measurement):
            guard let state = ElectricVehicleLoadEvent.Session.State(rawValue: state) else { return nil }
            return .electricVehicle(
                ElectricVehicleLoadEvent(
                    id: id, timestamp: moment, measurement: measurement,
                    session: .init(
                        id: session, state: state,
                        guidanceState: .init(wasFollowingGuidance: wasFollowing, guidanceToken: token)),
                    deviceID: deviceID, loadDevice: device.found))
        case .stage(let stage):
            guard let state = ElectricHVACLoadEvent.Session.State(rawValue: state) else { return nil }
            return .hvac(
                ElectricHVACLoadEvent(
                    id: id, timestamp: moment, measurement: .init(stage: stage),
                    session: .init(
                        id: session, state: state,
                        guidanceState: .init(wasFollowingGuidance: wasFollowing, guidanceToken: token)),
                    deviceID: deviceID, loadDevice: device.found))
        }
    }

    private struct Device { var found: ElectricalLoadDevice? }

    private mutating func device() -> Device? {
        guard skip(#""device":{"id":"#) else { return Device() }
        guard let id = string(), skip(#","name":"#), let name = string(), skip(#","type":"#), let kind = string(),
            let type = ElectricalLoadDevice.DeviceType(rawValue: kind), skip("},")
        else { return nil }
        return Device(found: ElectricalLoadDevice(id: id, name: name, type: type))
    }

    private mutating func measured() -> Measured? {
        if skip(#""stage":"#) { return number().flatMap { Int(exactly: $0) }.map { .stage($0) } }
        guard skip(#""direction":"#), let direction = string(), direction == "imported" || direction == "exported"
        else { return nil }
        let isEstimated = skip(#","energyEstimated":true"#)
        guard skip(#","energyWattHours":"#), let energy = number(), skip(#","powerWatts":"#), let power = number()
        else { return nil }
        var charge: Int?
        if skip(#","stateOfCharge":"#) {
            guard let number = number(), let whole = Int(exactly: number),
                whole != ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge
            else { return nil }
            charge = whole
        }
        return .vehicle(
            ElectricVehicleLoadEvent.ElectricalMeasurement(
                stateOfCharge: charge ?? ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge,
                direction: direction == "imported" ? .imported : .exported, power: .watts(power),
                energy: .wattHours(energy), isEnergyEstimated: isEstimated))
    }

    private mutating func skip(_ literal: StaticString) -> Bool {
        literal.withUTF8Buffer { expected in
            guard position + expected.count <= bytes.count else { return false }
            for index in 0..<expected.count where bytes[position + index] != expected[index] { return false }
            position += expected.count
            return true
        }
    }

    /// A string without escapes.
    private mutating func string() -> String? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            if bytes[end] == UInt8(ascii: "\\") || bytes[end] < 32 { return nil }
            end += 1
        }
        guard end < bytes.count else { return nil }
        position = end + 1
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func number() -> Double? {
        let start = position
        var whole = 0
        while position < bytes.count, position - start < 15, let digit = Self.digit(bytes[position]) {
            whole = whole * 10 + digit
            position += 1
        }
        let isLong = position < bytes.count && Self.continuesNumber(bytes[position])
        if position > start, !isLong { return Double(whole) }
        while position < bytes.count, Self.continuesNumber(bytes[position]) { position += 1 }
        return Double(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private static func digit(_ byte: UInt8) -> Int? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
    }

    private static func continuesNumber(_ byte: UInt8) -> Bool {
        digit(byte) != nil || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
    }

    private mutating func bool() -> Bool? {
        if skip("true") { return true }
        return skip("false") ? false : nil
    }

    private mutating func uuid() -> UUID? {
        guard position + 38 <= bytes.count, bytes[position] == UInt8(ascii: "\""),
            bytes[position + 37] == UInt8(ascii: "\"")
        else { return nil }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var at = position + 1
        let isWhole = withUnsafeMutableBytes(of: &value) { raw in
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    guard bytes[at] == UInt8(ascii: "-") else { return false }
                    at += 1
                }
                guard let high = Self.hexadecimal(bytes[at]), let low = Self.hexadecimal(bytes[at + 1]) else {
                    return false
                }
                raw[index] = high << 4 | low
                at += 2
            }
            return true
        }
        guard isWhole else { return nil }
        position += 38
        return UUID(uuid: value)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
