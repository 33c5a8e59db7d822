package import HubKit
import Modbus

/// What a SunSpec device says of itself in its first model, and which models it has.
package struct SunSpecIdentity: Sendable, Equatable {
    /// Who made it.
    package var maker: String?
    /// What it is called.
    package var model: String?
    /// Its firmware.
    package var version: String?
    /// Its models in their order.
    package var models: [Int]

    /// Where the texts of model 1 stand, counted from its number (SunSpec Device Information Model, "common").
    private static let texts = (maker: 2, model: 18, version: 42)

    /// Reads it; the serial number is left alone.
    /// - Parameters:
    ///   - chain: the device's models.
    ///   - read: reads holding registers.
    /// - Throws: what reading throws.
    package static func read(
        _ chain: [SunSpecBlock], _ read: (_ address: UInt16, _ count: Int) async throws -> [UInt16]
    ) async throws -> SunSpecIdentity {
        var identity = SunSpecIdentity(models: chain.map(\.model))
        guard let common = chain.first(where: { $0.model == 1 }), common.length >= 48,
            let address = UInt16(exactly: common.address)
        else { return identity }
        let words = try await read(address, 50)
        func text(_ start: Int, _ count: Int) -> String? {
            guard start + count <= words.count else { return nil }
            let place = RegisterPlace(.holding, address)
            let point = ProfilePoint(name: "text", place: place, type: .text(words: count))
            guard case .text(let text)? = RegisterCoding.value(of: Array(words[start..<start + count]), as: point)
            else { return nil }
            return text
        }
        identity.maker = text(texts.maker, 16)
        identity.model = text(texts.model, 16)
        identity.version = text(texts.version, 8)
        return identity
    }
}
