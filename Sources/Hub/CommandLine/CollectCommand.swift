import Foundation
import HubKit
import MQTT
import PostgreSQL
import Sinks
import YAML

/// `offpeak collect`: the load events of many homes, from a broker into a database.
enum CollectCommand {
    static func run(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "collect")
        try given.none()
        let collector = try collector(given, log: HubLog.standardError(minimum: .info, forJournal: isUnderJournal))
        let signals = Signals()
        let collecting = Task { await collector.run() }
        await signals.untilAsked {}
        collecting.cancel()
        await collecting.value
        return .success
    }

    private static var isUnderJournal: Bool { ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil }

    private static func collector(_ given: Arguments, log: HubLog) throws(Arguments.Misuse) -> EventCollector {
        let tls = try tls(given)
        var places: [MQTTPlace] = []
        for text in try required("brokers", given).split(separator: ",") {
            places.append(try place(String(text), tls == nil ? 1883 : 8883))
        }
        var subscription = MQTTReader.Subscription(
            clientID: given["name"] ?? "offpeak-collector", filter: given["filter"] ?? "+/events")
        subscription.user = given["user"]
        subscription.password = try secret("password-file", given)
        if subscription.password != nil, subscription.user == nil {
            throw Arguments.Misuse(description: "a password needs a user; add --user")
        }
        var database = try database(required("database", given))
        database.password = try secret("database-password-file", given)
        let schema = given["schema"] ?? "public"
        guard schema.wholeMatch(of: #/[a-z_][a-z0-9_]{0,62}/#) != nil else {
            throw Arguments.Misuse(description: "--schema '\(schema)' can't be one; use small letters, digits and _")
        }
        return EventCollector(at: places, subscription, tls: tls, into: database, schema: schema, log: log)
    }

    private static func required(_ name: String, _ given: Arguments) throws(Arguments.Misuse) -> String {
        guard let value = given[name] else { throw Arguments.Misuse(description: "--\(name) is needed") }
        return value
    }

    /// How the brokers are spoken to over TLS; naming one of the files asks for it.
    private static func tls(_ given: Arguments) throws(Arguments.Misuse) -> MQTT.MQTTConfiguration.TLS? {
        let files = try MQTT.MQTTConfiguration.TLS(
            authorityFile: file("ca-file", given), certificateFile: file("certificate-file", given),
            keyFile: file("key-file", given))
        guard (files.certificateFile == nil) == (files.keyFile == nil) else {
            throw Arguments.Misuse(description: "a certificate and its key go together; add the other file")
        }
        if let fault = files.faults.first(where: { !$0.isTime }) {
            throw Arguments.Misuse(description: "\(fault.reason); \(fault.remedy)")
        }
        return given.has("tls") || files != MQTT.MQTTConfiguration.TLS() ? files : nil
    }

    private static func file(_ name: String, _ given: Arguments) throws(Arguments.Misuse) -> String? {
        guard let path = given[name] else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw Arguments.Misuse(description: "--\(name): \(path) can't be read; name a file in PEM")
        }
        return path
    }

    private static func place(_ text: String, _ port: Int) throws(Arguments.Misuse) -> MQTTPlace {
        guard let place = MQTTPlace(text, standard: port) else {
            throw Arguments.Misuse(description: "--brokers is HOST:PORT,HOST:PORT such as fleet-1:1883, not '\(text)'")
        }
        return place
    }

    /// `postgresql://USER@HOST:PORT/NAME`; a password has a file of its own, so that nobody reads it among the processes.
    private static func database(_ text: String) throws(Arguments.Misuse) -> PostgreSQLConfiguration {
        guard let parts = URLComponents(string: text), parts.scheme == "postgresql", let host = parts.host,
            !host.isEmpty, let user = parts.user, !user.isEmpty, parts.password == nil, parts.query == nil,
            parts.path.count > 1
        else {
            throw Arguments.Misuse(
                description: "--database is postgresql://USER@HOST:PORT/NAME, without a password, not '\(text)'")
        }
        return PostgreSQLConfiguration(
            host: host.trimmingCharacters(in: ["[", "]"]), port: parts.port ?? 5432,
            database: String(parts.path.dropFirst()), user: user)
    }

    private static func secret(_ name: String, _ given: Arguments) throws(Arguments.Misuse) -> String? {
        guard let path = given[name] else { return nil }
        guard let text = try? String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8) else {
            throw Arguments.Misuse(description: "\(path) can't be read; name a file with the password alone")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
