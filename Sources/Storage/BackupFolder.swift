import Foundation

/// The copies of the database in `backups`, each named by the second at which it was made.
struct BackupFolder {
    /// A copy and when it was made.
    struct Copy {
        var place: URL
        var madeAt: Date
    }

    /// How many copies are kept at least.
    static let least = 7
    /// A copy beyond those goes when it is this much older than the newest, in seconds.
    static let keptSeconds: TimeInterval = 7 * 86_400
    /// A copy of more than this in the future was made under a wrong clock, in seconds.
    private static let aheadSeconds: TimeInterval = 3600
    private static let prefix = "offpeak-"

    let folder: URL

    /// - Parameter data: the hub's data folder.
    init(in data: URL) { folder = data.appendingPathComponent("backups") }

    /// Where a copy of this moment goes.
    func place(at moment: Date) -> URL {
        folder.appendingPathComponent("\(Self.prefix)\(Int(moment.timeIntervalSince1970)).sqlite")
    }

    /// The copies, newest first; those that a wrong clock dated after `now` come last.
    /// - Throws: where there is such a folder and it can't be read.
    func copies(at now: Date) throws -> [Copy] {
        let copies = try files().compactMap { place in Self.date(of: place).map { Copy(place: place, madeAt: $0) } }
        return copies.filter { !Self.isAhead($0, of: now) }.sorted { $0.madeAt > $1.madeAt }
            + copies.filter { Self.isAhead($0, of: now) }.sorted { $0.madeAt > $1.madeAt }
    }

    /// Everything that a database may be restored from, the best first: the hub's own copies, then what a person put there.
    func candidates(at now: Date) throws -> [URL] {
        let others = try files().filter { $0.pathExtension == "sqlite" && Self.date(of: $0) == nil }
        return try copies(at: now).map(\.place) + others.sorted { $0.lastPathComponent > $1.lastPathComponent }
    }

    /// When the newest copy was made, of those that a wrong clock has not dated after `now`.
    func newest(at now: Date) throws -> Date? {
        try copies(at: now).first { !Self.isAhead($0, of: now) }?.madeAt
    }

    /// Removes the copies that newer ones have made needless: the newest seven stay, and those of the last seven days.
    func prune(at now: Date) throws {
        let copies = try copies(at: now).filter { !Self.isAhead($0, of: now) }
        guard let newest = copies.first else { return }
        for old in copies.dropFirst(Self.least)
        where newest.madeAt.timeIntervalSince(old.madeAt) >= Self.keptSeconds {
            try FileManager.default.removeItem(at: old.place)
        }
    }

    private func files() throws -> [URL] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            return []
        }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    private static func date(of place: URL) -> Date? {
        let name = place.deletingPathExtension().lastPathComponent
        guard place.pathExtension == "sqlite", name.hasPrefix(prefix),
            let seconds = UInt64(name.dropFirst(prefix.count))
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func isAhead(_ copy: Copy, of now: Date) -> Bool {
        copy.madeAt.timeIntervalSince(now) > aheadSeconds
    }
}
