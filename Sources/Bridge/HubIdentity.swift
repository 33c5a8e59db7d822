import Foundation

/// By what hubs at one broker tell each other apart.
package struct HubIdentity: Codable, Equatable, Sendable {
    /// The same after a restart, so that a hub that was killed finds itself and not a stranger.
    package var instance: String
    /// Another one after each start.
    package var run: String
    /// The machine that it runs on, for people.
    package var host: String

    /// A hub that never was before.
    package static var unknown: HubIdentity {
        HubIdentity(instance: UUID().uuidString, run: UUID().uuidString, host: ProcessInfo.processInfo.hostName)
    }

    /// Names a hub.
    package init(instance: String, run: String, host: String) {
        self.instance = instance
        self.run = run
        self.host = host
    }
}
