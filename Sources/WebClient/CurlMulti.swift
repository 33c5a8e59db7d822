import CCurl
import ThreadKit

/// The library's set of transfers, as the thing an executor's thread waits on: for the next job and for the network at
/// once.
final class CurlMulti: ThreadIdling {
    let isWorthLingering = true
    /// One round of work on the executor's thread; it says how long to wait at most for the next, in milliseconds.
    typealias Turn = @Sendable () -> Int32

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    // Never reassigned. The executor's thread makes every call but one: curl_multi_wakeup, which the manual allows from
    // any thread while the handle lives.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer
    private let turn = Locked<Turn?>(nil)

    /// Makes an empty set.
    /// - Throws: `WebClientError.invalidRequest` when the library can't start.
    init(maximumConnections: Int) throws(WebClientError) {
        guard Self.isReady, let handle = curl_multi_init() else {
            throw .invalidRequest("libcurl does not start")
        }
        self.handle = handle
        offpeak_curl_multi_set_number(handle, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections)
    }

    deinit {
        curl_multi_cleanup(handle)
    }

    /// Sets the work that is done before each wait; nil ends it.
    func setTurn(_ new: Turn?) {
        turn.withLock { $0 = new }
    }

    func wait() {
        let limit = turn.current?() ?? 60_000
        curl_multi_poll(handle, nil, 0, max(0, limit), nil)
    }

    func wake() {
        curl_multi_wakeup(handle)
    }
}
