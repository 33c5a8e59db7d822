import EnergyKit
import Foundation

/// The JSON that this module's encoder gives, with sorted keys.
func json(_ value: some Encodable) throws -> String {
    String(decoding: try EnergyKitJSON.encoder().encode(value), as: UTF8.self)
}

/// Reads JSON with a plain decoder, since the types must not depend on the coder's settings.
func read<Value: Decodable>(_ type: Value.Type = Value.self, _ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
}

/// JSON without the white space that makes it readable here; no string in these tests has white space within.
func packed(_ text: String) -> String {
    text.filter { !$0.isWhitespace }
}
