import Foundation
import Glibc

/// Which file it is, whatever its name: to see that a name leads to another one, or to none.
struct FileIdentity: Sendable, Equatable {
    /// Where it is.
    let path: String
    private let device: UInt
    private let number: UInt

    /// The file that is there now; nothing where there is none.
    init?(_ place: URL) {
        guard let status = Self.status(place.path) else { return nil }
        path = place.path
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }

    /// Whether its name still leads to it, and it was not emptied.
    var isStillThere: Bool {
        guard let status = Self.status(path) else { return false }
        return UInt(status.st_dev) == device && UInt(status.st_ino) == number && status.st_size > 0
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
