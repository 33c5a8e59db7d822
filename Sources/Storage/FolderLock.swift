import Foundation
import HubKit

/// Keeps a second hub out of the same folder; the system lets go of it when the process ends, however it ends.
final class FolderLock: Sendable {
    let descriptor: Int32

    /// Creates the folder where it is missing.
    static func prepare(_ folder: URL) throws(HubError) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw HubError(
                .storage,
                "the data folder \(folder.path) can't be created (\(plainWords(of: error))); choose another with 'data:'"
            )
        }
    }

    /// Whether a hub holds the folder now.
    static func isHeld(_ folder: URL) -> Bool {
        let descriptor = open(folder.appendingPathComponent("lock").path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    init(_ folder: URL) throws(HubError) {
        let path = folder.appendingPathComponent("lock").path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HubError(
                .storage,
                "the data folder \(folder.path) can't be written (\(String(cString: strerror(errno)))); mend its permissions or choose another with 'data:'"
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // The descriptor is complete, so `deinit` runs and closes it: once only, since its number is soon another's.
            throw HubError(
                .inUse, "another hub is using \(folder.path); stop it, or choose another folder with 'data:'")
        }
    }

    deinit {
        // A process that is being started has a copy of the descriptor for a moment, which would hold the lock on.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
