package import HubKit
import Modbus

/// One thing that a device and the hub said to each other: an answered read or write of registers, a message of a
/// broker, or a request over HTTP with its answer.
package struct RecordedExchange: Sendable, Equatable, Codable {
    /// Real seconds since the recording began.
    package var after: Double
    /// A read or write over Modbus.
    package var registers: Registers?
    /// A message.
    package var message: Message?
    /// A request over HTTP.
    package var request: Request?

    /// Makes an exchange of registers.
    package init(_ registers: Registers) {
        after = 0
        self.registers = registers
    }

    /// Makes an exchange of a message.
    package init(_ message: Message) {
        after = 0
        self.message = message
    }

    /// Makes an exchange of a request.
    package init(_ request: Request) {
        after = 0
        self.request = request
    }
}

extension RecordedExchange {
    /// A read or write over Modbus.
    package struct Registers: Sendable, Equatable, Codable {
        /// The unit that was asked.
        package var unit: UInt8
        /// `holding`, `input`, `coil` or `discrete`.
        package var table: String
        /// The first address on the wire.
        package var address: UInt16
        /// How many registers or bits.
        package var count: Int
        /// What was read or written, each word as four hexadecimal digits; absent where nothing came.
        package var words: [String]?
        /// Whether it was a write.
        package var isWrite: Bool?
        /// The exception that the device answered with.
        package var exception: UInt8?
        /// Why there was no answer.
        package var failure: String?

        /// The words as numbers; nothing where none came, or one of them is no word.
        package var values: [UInt16]? {
            guard let words else { return nil }
            let values = words.compactMap { UInt16($0, radix: 16) }
            return values.count == words.count ? values : nil
        }

        /// Describes a read.
        package init(unit: UInt8, _ table: RegisterPlace.Table, _ address: UInt16, count: Int, words: [UInt16]? = nil) {
            self.unit = unit
            self.table = table.rawValue
            self.address = address
            self.count = count
            self.words = words.map { $0.map { RegisterCoding.hexadecimal($0) } }
        }
    }

    /// A message at a broker.
    package struct Message: Sendable, Equatable, Codable {
        /// The topic; what the configuration calls the device stands there as `{topic}`.
        package var topic: String
        /// The payload as text.
        package var payload: String
        /// Whether the broker had kept it.
        package var isRetained: Bool?
        /// Whether the hub said it.
        package var isOwn: Bool?

        /// Describes a message.
        package init(_ topic: String, _ payload: String, isRetained: Bool = false, isOwn: Bool = false) {
            self.topic = topic
            self.payload = payload
            self.isRetained = isRetained ? true : nil
            self.isOwn = isOwn ? true : nil
        }
    }

    /// A request over HTTP and its answer; headers are left out, since logins are among them.
    package struct Request: Sendable, Equatable, Codable {
        /// The method.
        package var method: String
        /// The path with its query.
        package var path: String
        /// The body that was sent.
        package var body: String?
        /// The status of the answer; absent where none came.
        package var status: Int?
        /// The media type of the answer.
        package var type: String?
        /// The body of the answer as text.
        package var answer: String?
        /// Why there was no answer.
        package var failure: String?

        /// Describes a request.
        package init(_ method: String, _ path: String, body: String? = nil) {
            self.method = method
            self.path = path
            self.body = body
        }
    }
}

/// Hears what goes between the hub and a device, such as to record it.
package struct TrafficTap: Sendable {
    private let listener: @Sendable (RecordedExchange) -> Void

    /// Makes a tap.
    /// - Parameter listener: gets each exchange when it is over, in the order of one device; must not block.
    package init(_ listener: @escaping @Sendable (RecordedExchange) -> Void) {
        self.listener = listener
    }

    /// Tells of an exchange.
    func hear(_ exchange: RecordedExchange) { listener(exchange) }

    /// Tells of a read or write that did not succeed.
    func hear(_ exchange: RecordedExchange.Registers, failedBy error: any Error) {
        var exchange = exchange
        if case ModbusError.exception(let exception) = error {
            exchange.exception = exception.code
        } else {
            exchange.failure = plainWords(of: error)
        }
        listener(RecordedExchange(exchange))
    }
}
