import Foundation
import PostgreSQL
import Sinks
import YAML

extension ConfigurationReader {
    func readSinks(_ reader: YAMLReader?, into configuration: inout HubConfiguration) {
        guard var reader else { return }
        defer { reader.finish() }
        configuration.sendsEventsToMQTT = reader.optionalBool("mqtt") ?? false
        if configuration.sendsEventsToMQTT, configuration.mqtt == nil {
            reader.add("the MQTT sink needs a broker", hint: "add mqtt: {host: 127.0.0.1}", at: "mqtt")
        }
        configuration.sinks = [
            readWebhook(reader.optionalMapping("webhook")), readInflux(reader.optionalMapping("influxdb")),
            readPostgreSQL(reader.optionalMapping("postgresql")),
        ].compactMap(\.self)
    }

    private func readWebhook(_ reader: YAMLReader?) -> SinkConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let url = readAddress(&reader)
        let address = WebhookEventSink.Address(
            url: url ?? "", secret: secret(&reader, "secret"), token: secret(&reader, "token"))
        let rest = readRest(&reader)
        return url.map { _ in
            SinkConfiguration(kind: .webhook(address), authorityFile: rest.authority, wantsHistory: rest.history)
        }
    }

    private func readInflux(_ reader: YAMLReader?) -> SinkConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let url = readAddress(&reader)
        let (bucket, organisation) = (text(&reader, "bucket"), text(&reader, "org"))
        let token = secret(&reader, "token")
        let (database, policy) = (text(&reader, "database"), text(&reader, "retention_policy"))
        let (user, password) = (text(&reader, "user"), secret(&reader, "password"))
        let rest = readRest(&reader)
        let target: InfluxEventSink.Target
        switch (bucket, database) {
        case (let bucket?, nil):
            guard let organisation, let token else {
                issues.add(
                    "a bucket needs org and token_file", hint: "such as {org: home, token_file: influx.token}",
                    at: reader.node)
                return nil
            }
            target = .bucket(bucket, organisation: organisation, token: token)
        case (nil, let database?):
            target = .database(database, retentionPolicy: policy, user: user, password: password)
        default:
            issues.add(
                "InfluxDB needs a bucket or a database",
                hint: "bucket, org and token_file for version 2; database, user and password_file for version 1",
                at: reader.node)
            return nil
        }
        return url.map {
            SinkConfiguration(
                kind: .influx(base: $0, target), authorityFile: rest.authority, wantsHistory: rest.history)
        }
    }

    private func readPostgreSQL(_ reader: YAMLReader?) -> SinkConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let host = text(&reader, "host", isRequired: true)
        let database = text(&reader, "database", isRequired: true)
        let user = text(&reader, "user", isRequired: true)
        var configuration = PostgreSQLConfiguration(
            host: host ?? "", port: reader.optionalInt("port", in: 1...65535) ?? 5432, database: database ?? "",
            user: user ?? "", password: secret(&reader, "password"))
        configuration.tls = reader.optionalChoice("tls", PostgreSQLConfiguration.TLS.self) ?? .prefer
        let schema = text(&reader, "schema") ?? "public"
        if schema.wholeMatch(of: #/[a-z_][a-z0-9_]{0,62}/#) == nil {
            reader.add("\'\(schema)\' can\'t be a schema", hint: "use small letters, digits and _", at: "schema")
        }
        let rest = readRest(&reader)
        configuration.authorityFile = rest.authority
        guard host != nil, database != nil, user != nil else { return nil }
        return SinkConfiguration(
            kind: .postgreSQL(configuration, schema: schema), authorityFile: nil, wantsHistory: rest.history)
    }

    private func readRest(_ reader: inout YAMLReader) -> (authority: String?, history: Bool) {
        let authority = path(&reader, "ca_file")?.path
        if let authority, !FileManager.default.isReadableFile(atPath: authority) {
            reader.add(
                "\(authority) can\'t be read", hint: "name a file with the authority\'s certificate in PEM",
                at: "ca_file")
        }
        return (authority, reader.optionalBool("history") ?? false)
    }

    private func readAddress(_ reader: inout YAMLReader) -> String? {
        guard let url = text(&reader, "url", isRequired: true) else { return nil }
        let parts = URLComponents(string: url)
        if let parts, ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false {
            guard parts.user == nil, parts.password == nil else {
                reader.add(
                    "the address holds a user or password", hint: "give them in fields of their own", at: "url")
                return nil
            }
            return url
        }
        reader.add("\'\(url)\' is not an address", hint: "such as https://192.0.2.7/offpeak", at: "url")
        return nil
    }
}
