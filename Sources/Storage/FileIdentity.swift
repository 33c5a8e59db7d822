import Foundation
import Glibc

/// Which file it is, whatever its name: to see that a name leads to another one, or to none.
struct FileIdentity: Sendable, Equatable {
    private let device: UInt
    private let number: UInt

    /// The file that is there now; nothing where there is none.
    init?(_ place: URL) {
        guard let status = Self.status(place) else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }

    /// Whether the name still leads to it, and it was not emptied.
    func isStill(at place: URL) -> Bool {
        guard let status = Self.status(place) else { return false }
        return UInt(status.st_dev) == device && UInt(status.st_ino) == number && status.st_size > 0
    }

    private static func status(_ place: URL) -> stat? {
        var status = stat()
        return stat(place.path, &status) == 0 ? status : nil
    }
}
