import Dispatch
import Foundation

/// The wish that the program ends: SIGTERM or SIGINT, heard from the moment this is made.
struct Signals {
    private let asked: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// Begins to listen, and lets a write that can't be done fail instead of ending the program: to a client that is gone,
    /// or beyond the size that the system allows a file.
    init() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        asked = stream
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // Without @Sendable the closure would be taken for the caller's actor and trap on the queue's thread.
            source.setEventHandler { @Sendable in continuation.yield(number) }
            source.resume()
            return source
        }
    }

    /// Returns at the first signal, also one that came before; a second one ends the program at once.
    /// - Parameter heard: what to do when the first one arrives.
    func untilAsked(_ heard: @Sendable () -> Void) async {
        for await _ in asked { break }
        heard()
        for source in sources { source.cancel() }
        // From here on a second signal ends the program in the system's own way.
        signal(SIGTERM, SIG_DFL)
        signal(SIGINT, SIG_DFL)
    }
}
