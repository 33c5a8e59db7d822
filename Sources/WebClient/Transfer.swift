import CCurl
import Glibc

/// One exchange under way: the library's handle with what came in and was not taken yet.
///
/// ## Thread Safety
/// None: it belongs to the engine's actor, and the library's callbacks run inside the actor's own calls.
final class Transfer {
    /// How much may wait for a slow reader before the server has to wait.
    private static let maximumWaiting = 256 << 10

    private let limits: WebLimits
    private let origin: String
    private let began = ContinuousClock.now
    private var handle: UnsafeMutableRawPointer?
    private var fields: UnsafeMutablePointer<curl_slist>?

    private var parser: AnswerParser
    private var waiting: [UInt8] = []
    private var received = 0
    private var sent: Int64 = 0
    private var lastMove = ContinuousClock.now
    private var isPaused = false
    /// Why a callback ended the transfer.
    private var refusal: WebClientError?
    /// How it ended; nil while it runs.
    private(set) var outcome: Result<Void, WebClientError>?

    private var isCancelled = false
    private var headWaiter: CheckedContinuation<WebAnswerHead, any Error>?
    private var pieceWaiter: CheckedContinuation<[UInt8]?, any Error>?

    /// Prepares a transfer; nothing is sent yet.
    /// - Throws: `WebClientError.invalidRequest`.
    init(_ request: WebRequest, _ address: WebAddress, _ configuration: WebClientConfiguration) throws(WebClientError) {
        limits = request.limits
        parser = AnswerParser(expectsChallenge: request.digest != nil)
        origin = request.unixSocket ?? "\(address.host):\(address.port)"
        guard let handle = curl_easy_init() else { throw .invalidRequest("out of memory") }
        self.handle = handle
        var options = EasyOptions(handle)
        options.set(request, address, configuration)
        fields = options.setHeaders(request, configuration)
        options.setReceivers(context: Unmanaged.passUnretained(self).toOpaque())
        guard options.isComplete else {
            // The deinit frees the handle.
            throw .invalidRequest("libcurl does not take an option; is a file of authorities there?")
        }
    }

    deinit {
        release()
        headWaiter?.resume(throwing: CancellationError())
        pieceWaiter?.resume(throwing: CancellationError())
    }

    /// Whether this is the transfer of that handle of the library.
    func has(_ other: UnsafeMutableRawPointer) -> Bool { handle == other }

    /// Begins; the set of transfers then moves it on.
    func join(_ multi: UnsafeMutableRawPointer) {
        guard let handle else { return }
        if curl_multi_add_handle(multi, handle) != CURLM_OK { outcome = .failure(.connectionLost("out of memory")) }
    }

    /// Ends it where it stands, and gives the connection back or closes it.
    func leave(_ multi: UnsafeMutableRawPointer) {
        guard let handle else { return }
        curl_multi_remove_handle(multi, handle)
        release()
    }

    private func release() {
        if let handle { curl_easy_cleanup(handle) }
        if let fields { curl_slist_free_all(fields) }
        handle = nil
        fields = nil
    }

    // MARK: - What comes in

    /// Takes a line of the head; inside the library's call.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
        lastMove = .now
        do throws(WebClientError) {
            try parser.take(line)
            return line.count
        } catch {
            refusal = error
            return 0
        }
    }

    /// Takes a piece of the body; inside the library's call.
    func receivePiece(_ piece: UnsafeRawBufferPointer) -> Int {
        lastMove = .now
        if let limit = limits.bodyBytes, received + piece.count > limit {
            refusal = .bodyTooLarge(limit: limit)
            return 0
        }
        guard waiting.isEmpty || waiting.count + piece.count <= Self.maximumWaiting else {
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        received += piece.count
        waiting += piece
        return piece.count
    }

    /// Notes how the library says it ended.
    func finish(_ code: CURLcode) {
        guard outcome == nil else { return }
        if code == CURLE_OK { parser.end() }
        outcome = code == CURLE_OK ? .success(()) : .failure(refusal ?? error(code))
    }

    // MARK: - Limits

    /// Ends the transfer if a limit is reached; gives the time until the next one may be.
    func checkLimits(now: ContinuousClock.Instant) -> Duration {
        guard outcome == nil, let handle else { return .seconds(60) }
        let sentNow = Int64(offpeak_curl_sent(handle))
        if sentNow != sent || isPaused { lastMove = now }
        sent = sentNow
        var left = Duration.seconds(60)
        if let total = limits.total {
            guard now - began < total else { return expire(.total) }
            left = min(left, total - (now - began))
        }
        if let idle = limits.idle {
            guard now - lastMove < idle else { return expire(.idle) }
            left = min(left, idle - (now - lastMove))
        }
        return left
    }

    private func expire(_ limit: WebClientError.Limit) -> Duration {
        outcome = .failure(.timedOut(limit))
        return .zero
    }

    // MARK: - What goes out

    /// Keeps who waits for the head until `serve()` has it.
    func wait(forHead waiter: CheckedContinuation<WebAnswerHead, any Error>) {
        headWaiter = waiter
    }

    /// Keeps who waits for the next piece until `serve()` has it; a second one is refused.
    func wait(forPiece waiter: CheckedContinuation<[UInt8]?, any Error>) {
        guard pieceWaiter == nil else {
            waiter.resume(throwing: WebClientError.invalidRequest("the body is being read by another task"))
            return
        }
        pieceWaiter = waiter
    }

    /// Whoever waits, now or later, is told of the cancellation.
    func cancel() {
        isCancelled = true
        serve()
    }

    /// Tells those who wait what there is for them.
    func serve() {
        if isCancelled {
            headWaiter?.resume(throwing: CancellationError())
            pieceWaiter?.resume(throwing: CancellationError())
            headWaiter = nil
            pieceWaiter = nil
            return
        }
        if let head = parser.finished {
            headWaiter?.resume(returning: head)
            headWaiter = nil
        } else if let outcome, let waiter = headWaiter {
            headWaiter = nil
            if case .failure(let error) = outcome {
                waiter.resume(throwing: error)
            } else {
                // The library takes an end within the header fields for the end of an answer.
                waiter.resume(throwing: WebClientError.connectionLost("\(origin): before the head was complete"))
            }
        }
        guard let waiter = pieceWaiter, let next = takePiece() else { return }
        pieceWaiter = nil
        waiter.resume(with: next)
    }

    /// What came since the last time, the end, or the error; nil for "not yet".
    func takePiece() -> Result<[UInt8]?, any Error>? {
        guard waiting.isEmpty else {
            let piece = waiting
            waiting = []
            resume()
            return .success(piece)
        }
        switch outcome {
        case nil: return nil
        case .success: return .success(nil)
        case .failure(let error): return .failure(error)
        }
    }

    /// Lets the library hand over what it held back; that may happen within this call.
    private func resume() {
        guard isPaused, let handle else { return }
        isPaused = false
        lastMove = .now
        curl_easy_pause(handle, CURLPAUSE_CONT)
    }

    // MARK: - Errors

    private func error(_ code: CURLcode) -> WebClientError {
        WebClientError(code, at: origin, systemError: handle.map { Int32(offpeak_curl_system_error($0)) } ?? 0)
    }
}

extension WebClientError {
    /// Why the library gave up.
    /// - Parameters:
    ///   - code: what it says.
    ///   - place: the server, as people know it.
    ///   - systemError: the system's reason for the last connection that failed; 0 for none.
    init(_ code: CURLcode, at place: String, systemError: Int32) {
        let text = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            self = .cannotConnect("\(place): the name is not known")
        case CURLE_COULDNT_CONNECT:
            self = .cannotConnect("\(place): \(systemError == 0 ? text : String(cString: strerror(systemError)))")
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut(.connect)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
            self = .tlsFailed("\(place): \(text)")
        case CURLE_URL_MALFORMAT: self = .invalidRequest(text)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM,
            CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
            self = .malformedAnswer(text)
        default: self = .connectionLost("\(place): \(text)")
        }
    }
}
