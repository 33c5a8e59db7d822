import Foundation
package import PostgreSQL
package import Sinks

/// A place outside the hub that load events go to, besides MQTT.
package struct SinkConfiguration: Sendable {
    /// What kind of place.
    package enum Kind: Sendable {
        case webhook(WebhookEventSink.Address)
        case influx(base: String, InfluxEventSink.Target)
        case postgreSQL(PostgreSQLConfiguration, schema: String)
    }

    /// Where.
    package var kind: Kind
    /// The certificate of an authority of one's own, for those that speak HTTP.
    package var authorityFile: String?
    /// Whether the sink gets the events of the time before it was added.
    package var wantsHistory: Bool
}

extension SinkConfiguration {
    /// Where events go in a few words, without secrets.
    var summary: String {
        switch kind {
        case .webhook(let address): "webhook at \(URLComponents(string: address.url)?.host ?? address.url)"
        case .influx(let base, _): "InfluxDB at \(URLComponents(string: base)?.host ?? base)"
        case .postgreSQL(let database, let schema):
            "PostgreSQL, \(schema).offpeak_events in \(database.database) at \(database.host):\(database.port)"
        }
    }
}
