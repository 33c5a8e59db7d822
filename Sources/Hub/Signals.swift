import Dispatch
import Foundation

/// The wish that the program ends: SIGTERM or SIGINT.
enum Signals {
    /// Lets a write that can't be done fail instead of ending the program: to a client that is gone, or beyond the size
    /// that the system allows a file.
    static func surviveFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Returns at the first signal; a second one ends the program at once.
    /// - Parameter heard: what to do when the first one arrives.
    static func untilAsked(_ heard: @Sendable () -> Void) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // Without @Sendable the closure would be taken for the caller's actor and trap on the queue's thread.
            source.setEventHandler { @Sendable in continuation.yield(number) }
            source.resume()
            return source
        }
        var count = 0
        for await _ in stream {
            count += 1
            if count == 1 { break }
        }
        heard()
        for source in sources { source.cancel() }
        // From here on a second signal ends the program in the system's own way.
        signal(SIGTERM, SIG_DFL)
        signal(SIGINT, SIG_DFL)
    }
}
