import CWebSockets
import Glibc
import ThreadKit

/// Where the library's messages go.
///
/// Its log setting is one per process, so each line is given to the server whose service thread wrote it.
enum LibraryLog {
    private static let outlets = Locked<[UInt: @Sendable (String) -> Void]>([:])

    private static let isInstalled: Bool = {
        lws_set_log_level(LLL_ERR) { _, line in
            guard let line else { return }
            LibraryLog.emit(String(cString: line))
        }
        return true
    }()

    /// Sends the calling thread's messages to `outlet`.
    static func attach(_ outlet: @escaping @Sendable (String) -> Void) {
        _ = isInstalled
        outlets.withLock { $0[UInt(pthread_self())] = outlet }
    }

    /// Ends `attach` for the calling thread.
    static func detach() {
        outlets.withLock { $0[UInt(pthread_self())] = nil }
    }

    private static func emit(_ line: String) {
        // Adopting a socket with bytes already read announces itself at the level of an error.
        guard !line.contains("adopt_socket_readbuf: calling service") else { return }
        let outlet = outlets.withLock { $0[UInt(pthread_self())] }
        outlet?(String(line.prefix { !$0.isNewline }))
    }
}
