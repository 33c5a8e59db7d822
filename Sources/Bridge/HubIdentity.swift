import Foundation

/// By what hubs at one broker tell each other apart.
package struct HubIdentity: Codable, Equatable, Sendable {
    /// Another one after each start: a hub can't tell what it was before from a copy of it that runs elsewhere.
    package var run: String
    /// The machine that it runs on, for people.
    package var host: String

    /// Names a hub that starts now.
    package init(run: String = UUID().uuidString, host: String = ProcessInfo.processInfo.hostName) {
        self.run = run
        self.host = host
    }
}
