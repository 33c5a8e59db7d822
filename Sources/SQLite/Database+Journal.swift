import Glibc

extension Database {
    /// Moves what the journal holds into the file and empties the journal.
    ///
    /// A journal that may not grow any more is written again after that, where the file itself still can be.
    /// - Throws: `SQLiteError` where the file cannot be written; nothing is lost then.
    package func emptyJournal() throws(SQLiteError) {
        try handle.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Gives the journal its full length at once, so that commits write over it and don't make it longer.
    ///
    /// A commit that changes a file's length has the file system write its own journal as well, which takes about as long
    /// again and wears a memory card. What follows the last frame of a write-ahead log means nothing, since no frame
    /// counts without its checksum (<https://sqlite.org/walformat.html>). Nobody else writes meanwhile: a transaction of
    /// this connection holds the lock. Where the disk has less than eight times as much free, nothing is done.
    /// - Throws: `SQLiteError` where the transaction can't be had; a journal that stays as it is, is none of its errors.
    package func reserveJournal() throws {
        guard path != ":memory:" else { return }
        try transaction { _ in Self.lengthen(path + "-wal", to: Handle.checkpointPages * (4096 + 24) + 32) }
    }

    private static func lengthen(_ path: String, to wanted: Int) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        var status = stat()
        var disk = statvfs()
        guard fstat(descriptor, &status) == 0, fstatvfs(descriptor, &disk) == 0,
            UInt64(disk.f_bavail) * UInt64(disk.f_frsize) > UInt64(wanted) * 8
        else { return }
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var offset = Int(status.st_size)
        while offset < wanted {
            let count = pwrite(descriptor, zeros, min(zeros.count, wanted - offset), off_t(offset))
            guard count > 0 else { break }
            offset += count
        }
        fdatasync(descriptor)
    }
}
