import EnergyKit
import Foundation
import HubKit

/// How a program ended, as its exit status says it; `docs/operations.md` has the table.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case success = 0
    /// It failed while it ran.
    case failure = 1
    /// Wrong usage or configuration.
    case usage = 2
    /// Refused for good: what was asked for does not exist, is not allowed or can't be.
    case refused = 3
    /// Try again later.
    case tryLater = 75
}

extension HubError {
    /// The exit status that fits the error.
    var exitStatus: ExitStatus {
        switch code {
        case .configuration, .profile: .usage
        case .refused, .notFound: .refused
        case .inUse: .tryLater
        case .connection, .device, .storage, .guidance: retryClass == .transient ? .tryLater : .failure
        }
    }
}
