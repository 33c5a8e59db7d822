package import Foundation
package import HubKit

/// The file a virtual house lives in: one write of one page for each step, so that a kill never leaves half a state.
package final class HouseFile: Sendable {
    private let descriptor: Int32
    private static let size = 4096

    /// Opens or creates the file.
    /// - Throws: `HubError` when it can't be written.
    package init(_ url: URL) throws(HubError) {
        descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HubError(
                .storage,
                "\(url.path) can't be written (\(String(cString: strerror(errno)))); choose another folder with --data")
        }
    }

    deinit { close(descriptor) }

    /// What a file holds.
    package enum Content: Sendable {
        /// There is no file, or nothing was written into it yet.
        case nothing
        /// A house.
        case house(House)
        /// Something else, and why it is no house.
        case unreadable(String)
    }

    /// What lives in a file.
    package static func content(of url: URL) -> Content {
        guard FileManager.default.fileExists(atPath: url.path) else { return .nothing }
        do {
            let text = try Data(contentsOf: url).prefix { $0 != 0 }
            guard !text.isEmpty else { return .nothing }
            return .house(try JSONDecoder().decode(House.self, from: Data(text)))
        } catch {
            return .unreadable(plainWords(of: error))
        }
    }

    /// The house that lives in a file, or nothing where there is none yet.
    package static func read(_ url: URL) -> House? {
        if case .house(let house) = content(of: url) { house } else { nil }
    }

    /// Writes the house; the rest of the page is zero.
    func write(_ house: House) {
        guard var data = try? JSONEncoder().encode(house), data.count < HouseFile.size else { return }
        data.append(Data(count: HouseFile.size - data.count))
        _ = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}
