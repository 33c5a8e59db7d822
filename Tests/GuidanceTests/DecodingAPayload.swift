import Foundation
import Guidance
import Testing

/// Decodes a payload written in a test.
func decode(_ source: String, _ payload: String, _ options: PayloadOptions = PayloadOptions()) throws -> EnergySeries {
    try PayloadDecoders.named(source).series(from: Data(payload.utf8), options: options)
}

/// The slots of a payload as `hh:mm-hh:mm value`, values to six places.
func decoded(_ source: String, _ payload: String, _ options: PayloadOptions = PayloadOptions()) throws -> [String] {
    text(try decode(source, payload, options).mapValues { ($0 * 1e6).rounded() / 1e6 }.slots)
}

/// The failure of a payload.
func failure(_ source: String, _ payload: String, _ options: PayloadOptions = PayloadOptions()) -> PayloadError? {
    do {
        _ = try decode(source, payload, options)
        return nil
    } catch { return error as? PayloadError }
}
