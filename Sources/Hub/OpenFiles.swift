import Foundation

/// The limit of open files of this process.
enum OpenFiles {
    /// Keeps file numbers below 1024.
    ///
    /// libmodbus waits with `select`, which ends the process beyond that number, see select(2) on FD_SETSIZE. More
    /// connections than that are refused instead.
    static func keepBelowSelectLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur > 1024 else { return }
        limit.rlim_cur = 1024
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
