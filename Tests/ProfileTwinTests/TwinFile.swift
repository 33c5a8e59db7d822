import Foundation
import HubKit
import Modbus
import TestSupport
import Testing
import YAML

/// What a device is known to send and to take, as raw words: a file under `etc/twins`.
///
/// The words come from the documents about the device, not from our profile of it, so that the two can disagree.
struct TwinFile: Sendable, CustomTestStringConvertible {
    /// Raw words by table and first address.
    struct Registers: Sendable {
        var holding: [UInt16: [UInt16]] = [:]
        var input: [UInt16: [UInt16]] = [:]
        var coils: [UInt16: [Bool]] = [:]
    }

    /// What a reading has to say; a quantity or state that is there without a value has to be unknown.
    struct Expected: Sendable {
        var reading: [Quantity: Double?] = [:]
        var states: [String: String?] = [:]
    }

    struct Step: Sendable {
        var name: String
        var changes: Registers
        var expected: Expected
    }

    struct Write: Sendable, Equatable, CustomStringConvertible {
        var function: UInt8
        var address: UInt16
        var words: [UInt16]
        var description: String { "function \(function): \(address) = \(words)" }
    }

    struct Order: Sendable {
        var command: DeviceCommand
        var writes: [Write]
    }

    var name: String
    var kind: DeviceKind
    var profile: String
    var options: [String] = []
    var unit: UInt8
    var registers: Registers
    var expected: Expected
    var steps: [Step]
    var orders: [Order]

    var testDescription: String { name }

    static let folder = ProfileLibrary.shippedFolder.deletingLastPathComponent().appendingPathComponent("twins")

    /// Every file, by kind and name.
    static func all() throws -> [TwinFile] {
        try DeviceKind.allCases.flatMap { kind in
            let folder = folder.appendingPathComponent(kind.rawValue)
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            // Those of messages and answers are read by `FieldTwinFile`.
            return try files.sorted { $0.path < $1.path }.filter { try !FieldTwinFile.isOne($0) }
                .map { try TwinFile($0, kind) }
        }
    }
}

// MARK: - Reading the file

extension TwinFile {
    /// What is wrong with a file.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    init(_ file: URL, _ kind: DeviceKind) throws {
        let root = try YAMLNode.parse(String(contentsOf: file, encoding: .utf8), file: file.lastPathComponent)
        let known: Set = [
            "profile", "options", "unit", "holding", "input", "coil", "reading", "states", "then", "commands",
        ]
        for key in root.keys where !known.contains(key) { throw Fault(description: "\(file.path): what is '\(key)'?") }
        guard let profile = root["profile"]?.asString, let unit = root["unit"]?.asInt.flatMap({ UInt8(exactly: $0) })
        else { throw Fault(description: "\(file.path) needs 'profile' and 'unit'") }
        self.kind = kind
        self.profile = profile
        self.unit = unit
        name = file.deletingPathExtension().lastPathComponent
        options = (root["options"]?.elements ?? []).compactMap(\.asString)
        registers = try Registers(root)
        expected = try Expected(root)
        steps = try (root["then"]?.elements ?? []).map { node in
            guard let name = node["name"]?.asString, let set = node["set"] else {
                throw Fault(description: "\(file.path):\(node.line): a step needs 'name' and 'set'")
            }
            return Step(name: name, changes: try Registers(set), expected: try Expected(node))
        }
        orders = try (root["commands"]?.elements ?? []).map { try Order($0) }
    }
}

extension TwinFile.Registers {
    init(_ node: YAMLNode) throws {
        holding = try Self.table(node["holding"])
        input = try Self.table(node["input"])
        coils = try Self.table(node["coil"]).mapValues { $0.map { $0 != 0 } }
    }

    private static func table(_ node: YAMLNode?) throws -> [UInt16: [UInt16]] {
        var table: [UInt16: [UInt16]] = [:]
        for entry in node?.entries ?? [] {
            let words = (entry.value.elements ?? []).compactMap { $0.asInt.flatMap { UInt16(exactly: $0) } }
            guard let address = UInt16(entry.key), !words.isEmpty, words.count == entry.value.elements?.count else {
                throw TwinFile.Fault(description: "line \(entry.value.line): \(entry.key) is no register with words")
            }
            table[address] = words
        }
        return table
    }
}

extension TwinFile.Expected {
    init(_ node: YAMLNode) throws {
        for entry in node["reading"]?.entries ?? [] {
            guard let quantity = Quantity(rawValue: entry.key), entry.value.isNull || entry.value.asDouble != nil else {
                throw TwinFile.Fault(description: "line \(entry.value.line): \(entry.key) is no quantity with a value")
            }
            reading[quantity] = .some(entry.value.asDouble)
        }
        for entry in node["states"]?.entries ?? [] {
            guard ["plug", "charging", "mode", "reduce"].contains(entry.key) else {
                throw TwinFile.Fault(description: "line \(entry.value.line): there is no state '\(entry.key)'")
            }
            states[entry.key] = .some(entry.value.asString)
        }
    }
}

extension TwinFile.Order {
    /// What is to be done.
    static func command(_ node: YAMLNode) throws -> DeviceCommand {
        let command = node["do"]?.entries?.first
        switch (command?.key, command?.value) {
        case ("current", let value?): return .limitCurrent(amps: try number(value))
        case ("phases", let value?): return .usePhases(Int(try number(value)))
        case ("setpoint", let value?): return .setSetpoint(celsius: try number(value))
        case ("offset", let value?): return .shiftSetpoint(kelvin: try number(value))
        case ("surplus", let value?): return .offerSurplus(watts: try number(value))
        case ("limit", let value?): return .limitPower(watts: value.asString == "none" ? nil : try number(value))
        case ("reduce", let value?):
            guard let state = value.asString.flatMap({ ReduceState(rawValue: $0) }) else {
                throw TwinFile.Fault(description: "line \(value.line): this is no load state")
            }
            return .reduce(state)
        case ("battery", let value?):
            switch value.asString {
            case "automatic": return .battery(.automatic)
            case "hold": return .battery(.hold)
            default: return .battery(.charge(watts: try number(value)))
            }
        default: throw TwinFile.Fault(description: "line \(node.line): this is no command")
        }
    }

    init(_ node: YAMLNode) throws {
        command = try Self.command(node)
        writes = try (node["writes"]?.elements ?? []).map { write in
            let numbers = (write.elements ?? []).compactMap { $0.asInt.flatMap { UInt16(exactly: $0) } }
            guard numbers.count >= 3, let function = UInt8(exactly: numbers[0]) else {
                throw TwinFile.Fault(description: "line \(write.line): a write is [function, address, words…]")
            }
            return TwinFile.Write(function: function, address: numbers[1], words: Array(numbers[2...]))
        }
    }
}

private func number(_ node: YAMLNode) throws -> Double {
    if let number = node.asDouble { return number }
    throw TwinFile.Fault(description: "line \(node.line): this is no number")
}
