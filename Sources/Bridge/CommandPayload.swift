import Control
import EnergyKit
import Foundation
import HubKit

/// What a command says: a plain value, or JSON.
struct CommandPayload {
    private let bytes: [UInt8]
    private let text: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether it takes back what was set: `""`, `none` or `null`; 0 is a value (field case M-3).
    var clears: Bool { ["", "none", "null"].contains(text.lowercased()) }

    /// How old a command may be that says when it was sent, in seconds.
    static let longestAge: Double = 60

    /// How far the sender's clock may be ahead, in seconds: a wrong time zone is no lie.
    static let longestLead: Double = 86_400

    /// Refuses a command that was under way too long: what was wanted then may be wrong now.
    ///
    /// Only JSON can say when it was sent, as `sentAt`; what does not say it passes.
    /// - Throws: `HubError` for one that is late, or says something else than a time; `JSONSyntaxError`.
    func checkAge(at now: Date) throws {
        struct Dated: Decodable { var sentAt: Date? }
        guard text.first == "{", try JSONTree(bytes)["sentAt"] != nil else { return }
        guard let sent = try? EnergyKitJSON.decoder().decode(Dated.self, from: Data(bytes)).sentAt else {
            throw HubError(.refused, "sentAt is a time such as 2026-11-30T18:00:00Z; the command is not carried out")
        }
        let age = now.timeIntervalSince(sent)
        guard -age <= Self.longestLead else {
            throw HubError(
                .refused, "sentAt is \(Int(min(-age, 1e9))) s ahead of the hub's clock; set both clocks right")
        }
        guard age > Self.longestAge else { return }
        throw HubError(
            .refused,
            "the command is late: it was sent \(Int(min(age, 1e9))) s ago, and counts for \(Int(Self.longestAge)) s")
    }

    /// The mode's name: the plain word, a JSON string, or `{"mode": "…"}`.
    /// - Throws: what is wrong with the JSON.
    func modeName() throws -> String {
        struct Request: Decodable { var mode: String }
        return switch text.first {
        case "{": try decoded(Request.self, .mode).mode
        case "\"": try decoded(String.self, .text)
        default: text
        }
    }

    /// The goal's JSON.
    /// - Throws: what is wrong with the JSON.
    func goal() throws -> GoalRequest { try decoded(GoalRequest.self, .goal) }

    /// The temperature: a plain number, or JSON with `setpointCelsius`.
    /// - Throws: `HubError` for text that is no number, or what is wrong with the JSON.
    func setpoint() throws -> GoalRequest {
        if text.first == "{" { return try decoded(GoalRequest.self, .goal) }
        guard let celsius = number else {
            throw HubError(.refused, "a setpoint is a number in °C")
        }
        return try EnergyKitJSON.decoder().decode(
            GoalRequest.self, from: Data("{\"setpointCelsius\":\(celsius)}".utf8))
    }

    /// The price limit: a plain number, or JSON with `pricePerKWh`.
    /// - Throws: `HubError` for text that is no number, or what is wrong with the JSON.
    func limit() throws -> PriceLimit {
        if text.first == "{" { return try decoded(PriceLimit.self, .limit) }
        guard let price = number else {
            throw HubError(.refused, "a limit is a price for each kWh")
        }
        return PriceLimit(pricePerKWh: price)
    }

    /// What all chargers may draw: a plain number of watts, or JSON with `powerWatts`.
    /// - Throws: `HubError` for text that is no number, or what is wrong with the JSON.
    func powerLimit() throws -> ExternalLimitRequest {
        if text.first == "{" { return try decoded(ExternalLimitRequest.self, .powerLimit) }
        guard let watts = number else {
            throw HubError(.refused, "a limit is a number of watts, or JSON with powerWatts")
        }
        return ExternalLimitRequest(powerWatts: watts)
    }

    /// The number that the whole text is, in decimal figures.
    private var number: Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Reads JSON of a shape, with `sentAt`; a slip of a key would else change something other than what was meant.
    /// - Throws: `JSONSyntaxError`, `JSONShape.Fault` or `DecodingError`.
    private func decoded<Value: Decodable>(_ type: Value.Type, _ shape: JSONShape) throws -> Value {
        try shape.with("sentAt", .anything).check(JSONTree(bytes))
        return try EnergyKitJSON.decoder().decode(type, from: Data(bytes))
    }
}
