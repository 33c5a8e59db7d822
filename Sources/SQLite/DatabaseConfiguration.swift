/// How a database is opened.
package struct DatabaseConfiguration: Sendable {
    /// When a commit waits for the disk; <https://sqlite.org/pragma.html#pragma_synchronous>.
    package enum Synchronous: String, Sendable {
        /// Each commit is on the disk before it returns: it survives a power cut.
        case full = "FULL"
        /// A power cut may lose the last commits but does not damage the file.
        case normal = "NORMAL"
    }

    /// When a commit waits for the disk.
    package var synchronous: Synchronous
    /// How long to wait for another connection to the same file.
    package var busyTimeout: Duration
    /// Whether `REFERENCES` is enforced.
    package var enforcesForeignKeys: Bool
    /// Whether the file must exist and is never changed.
    package var isReadOnly: Bool
    /// Whether nobody changes the file while it is open, so that it can be read where nothing at all can be written
    /// (<https://sqlite.org/uri.html#uriimmutable>); only together with `isReadOnly`, for a file without a journal.
    package var isImmutable = false
    /// How many prepared statements are kept.
    package var statementCacheSize: Int

    /// Makes a configuration; the defaults never lose what was committed.
    ///
    /// The journal is always a write-ahead log: "WAL provides more concurrency as readers do not block writers and a
    /// writer does not block readers", and a commit is one sequential write.
    package init(
        synchronous: Synchronous = .full, busyTimeout: Duration = .seconds(5), enforcesForeignKeys: Bool = true,
        isReadOnly: Bool = false, statementCacheSize: Int = 64
    ) {
        self.synchronous = synchronous
        self.busyTimeout = busyTimeout
        self.enforcesForeignKeys = enforcesForeignKeys
        self.isReadOnly = isReadOnly
        self.statementCacheSize = statementCacheSize
    }

    /// The busy timeout in whole milliseconds as SQLite takes it.
    var busyMilliseconds: Int32 {
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
        guard !milliseconds.overflow else { return .max }
        return Int32(clamping: max(0, milliseconds.partialValue + attoseconds / 1_000_000_000_000_000))
    }
}
