package import Foundation

/// A new, empty, private folder that is deleted with all its content when the object goes.
package final class TemporaryFolder: Sendable {
    /// The folder.
    package let url: URL

    /// Makes a folder in the system's temporary folder.
    /// - Throws: what the file system says.
    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "offpeak-test-\(UUID().uuidString.prefix(13))", isDirectory: true)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The folder's path.
    package var path: String { url.path }

    /// The place of a file in the folder; makes nothing.
    package func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    /// Writes a text file, and the folders on the way to it.
    /// - Returns: the file's place.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> URL {
        let place = file(name)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place)
        return place
    }
}
