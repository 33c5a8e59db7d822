package import Foundation
package import HubKit

/// What a device and the hub said to each other, in order, with what is needed to read it again.
///
/// ## File Format
/// JSON, one object a line: first the head, then each exchange as it happened. A recording that was broken off lacks
/// its end and is whole otherwise.
package struct DeviceRecording: Sendable, Equatable {
    /// What was recorded.
    package var head: Head
    /// What was said.
    package var exchanges: [RecordedExchange]

    /// What was recorded; names of machines and logins are not in it.
    package struct Head: Sendable, Equatable, Codable {
        /// The version of the format; there is one.
        package var offpeakRecording = 1
        /// The version of the program that recorded.
        package var program: String
        /// When it began.
        package var began: Date
        /// The driver.
        package var driver: String
        /// The profile.
        package var profile: String
        /// The options of the profile.
        package var options: [String]
        /// What a meter measures.
        package var role: String?
        /// The unit of a Modbus device.
        package var unit: UInt8?
        /// What fills the profile's placeholders; a topic or path of the person's is its own placeholder.
        package var parameters: [String: String]?
        /// The highest current of a charger that a person set, in amps.
        package var maximumAmps: Double?
        /// The power of heating at full stage that a person set, in watts.
        package var maximumWatts: Double?

        /// Describes what is recorded of a device.
        /// - Parameters:
        ///   - device: its configuration.
        ///   - profile: its profile.
        ///   - began: when the recording began.
        ///   - program: the version of the program.
        package init(_ device: DeviceConfiguration, _ profile: DeviceProfile, began: Date, program: String) {
            self.program = program
            self.began = began
            driver = device.driver
            self.profile = profile.name
            options = device.profileOptions
            role = device.role?.rawValue
            maximumAmps = device.limits.maximumAmps
            maximumWatts = device.limits.maximumWatts
            switch device.connection {
            case .modbusTCP, .modbusRTU: unit = ModbusBuses.unit(device.connection, profile.transport)
            case .mqtt, .http:
                let marked = ParameterMarks(of: device, profile).parameters
                parameters = marked.isEmpty ? nil : marked
            case .ocpp, .none: break
            }
        }
    }

    /// Why a file is no recording.
    package struct Fault: Error, Equatable, CustomStringConvertible {
        /// The line, from 1.
        package var line: Int
        /// What is wrong, and how to mend it.
        package var what: String
        package var description: String { "line \(line): \(what)" }
    }

    /// Makes a recording.
    package init(head: Head, exchanges: [RecordedExchange]) {
        self.head = head
        self.exchanges = exchanges
    }

    /// Reads the text of a file; a last line that was broken off is left out.
    /// - Throws: `Fault` naming the line.
    package init(text: String) throws(Fault) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // What stands behind the last line feed was not written to its end.
        let rest = lines.popLast() ?? ""
        if lines.isEmpty { lines = [rest] }
        let first = Data(lines[0].utf8)
        guard let head = try? Self.decoder.decode(Head.self, from: first) else {
            throw Fault(line: 1, what: "this is no recording; make one with 'offpeak record DEVICE FILE'")
        }
        guard head.offpeakRecording == 1 else {
            throw Fault(line: 1, what: "this recording is of a newer Offpeak; replay it with that one")
        }
        var exchanges: [RecordedExchange] = []
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            guard let exchange = try? Self.decoder.decode(RecordedExchange.self, from: Data(line.utf8)),
                exchange.after.isFinite, exchange.after >= 0
            else { throw Fault(line: index + 1, what: "this is no exchange; remove the line") }
            exchanges.append(exchange)
        }
        self.init(head: head, exchanges: exchanges)
    }

    /// The text of the file.
    package var text: String {
        ([Self.line(head)] + exchanges.map { Self.line($0) }).map { $0 + "\n" }.joined()
    }

    /// One line of the file, without its line feed.
    package static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        // Nothing that is recorded fails to be JSON: its numbers are finite.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
