import CCurl
import Foundation

/// The files of an encrypted connection, in PEM form.
package struct EncryptionFiles: Sendable, Equatable {
    /// The authorities to trust; nil for those of the system.
    package var authority: String?
    /// The client's certificate, with `key`, for servers that ask for one.
    package var certificate: String?
    /// The client's key without a passphrase.
    package var key: String?

    /// Names the files, by default none.
    package init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }
}

/// A TLS connection for another protocol than HTTP; it waits no longer than it is told, and is closed with its last
/// reference.
///
/// The server's certificate has to be of a trusted authority and for the server's name.
///
/// ## Thread Safety
/// None: it belongs to one actor or thread, on which its calls block.
package final class EncryptedSocket {
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let handle: UnsafeMutableRawPointer
    private let place: String
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Connects, to the first of a name's addresses that answers.
    /// - Parameters:
    ///   - host: a name or an address, as it stands in the server's certificate.
    ///   - port: the server's port.
    ///   - files: whom to trust, and what to show.
    ///   - wait: how long it may take until both sides trust each other.
    /// - Throws: `WebClientError`.
    package init(to host: String, _ port: Int, _ files: EncryptionFiles, within wait: Duration) throws(WebClientError) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        guard Self.isReady, let handle = curl_easy_init() else { throw .invalidRequest("libcurl does not start") }
        self.handle = handle
        self.place = place
        Self.blockBrokenPipeSignal()
        var options = EasyOptions(handle)
        options.setConnection(to: "https://\(place)/", files, milliseconds: Int(max(1, wait.milliseconds)))
        guard options.isComplete else { throw .invalidRequest("libcurl lacks an option of TLS") }
        let code = curl_easy_perform(handle)
        guard code == CURLE_OK else { throw error(code) }
    }

    deinit { curl_easy_cleanup(handle) }

    /// Sends everything.
    /// - Throws: `WebClientError`, also when the other side takes nothing for so long.
    package func send(_ bytes: [UInt8], within wait: Duration) throws(WebClientError) {
        var sent = 0
        while sent < bytes.count {
            var count = 0
            let code = bytes.withUnsafeBytes {
                curl_easy_send(handle, $0.baseAddress.map { $0 + sent }, bytes.count - sent, &count)
            }
            if code == CURLE_AGAIN {
                guard isReady(for: POLLOUT, wait) else { throw .timedOut(.idle) }
            } else if code != CURLE_OK {
                throw error(code)
            }
            sent += count
        }
    }

    /// What is there.
    /// - Returns: nil where nothing came in time.
    /// - Throws: `WebClientError`, also at the end of the connection.
    package func receive(within wait: Duration) throws(WebClientError) -> [UInt8]? {
        // What the library has decrypted already no longer shows at the socket.
        if let bytes = try take() { return bytes }
        guard isReady(for: POLLIN, wait) else { return nil }
        return try take()
    }

    private func take() throws(WebClientError) -> [UInt8]? {
        var count = 0
        let code = curl_easy_recv(handle, &buffer, buffer.count, &count)
        if code == CURLE_AGAIN { return nil }
        guard code == CURLE_OK else { throw error(code) }
        guard count > 0 else { throw .connectionLost("\(place) closed the connection") }
        return Array(buffer[..<count])
    }

    private func isReady(for events: Int32, _ wait: Duration) -> Bool {
        var descriptor = pollfd(fd: offpeak_curl_socket(handle), events: Int16(events), revents: 0)
        return poll(&descriptor, 1, wait.milliseconds) > 0
    }

    private func error(_ code: CURLcode) -> WebClientError {
        WebClientError(code, at: place, systemError: Int32(offpeak_curl_system_error(handle)))
    }

    /// OpenSSL writes without the flag that suppresses the signal; only the caller's thread is to ignore it.
    private static func blockBrokenPipeSignal() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
