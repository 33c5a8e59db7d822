import CCurl

/// Sets the options of one of the library's handles and remembers whether it took all of them.
struct EasyOptions {
    private let handle: UnsafeMutableRawPointer
    private(set) var isComplete = true

    init(_ handle: UnsafeMutableRawPointer) {
        self.handle = handle
    }

    private mutating func set(_ option: CURLoption, _ value: Int) {
        note(offpeak_curl_set_number(handle, option, value))
    }

    private mutating func set(_ option: CURLoption, _ value: String) {
        note(offpeak_curl_set_text(handle, option, value))
    }

    private mutating func note(_ code: CURLcode) {
        if code != CURLE_OK { isComplete = false }
    }

    /// Everything but header fields and callbacks.
    mutating func set(_ request: WebRequest, _ address: WebAddress, _ configuration: WebClientConfiguration) {
        set(CURLOPT_URL, address.text)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        // Without signals: this is not the main thread.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(1, request.limits.connect.milliseconds)))
        set(CURLOPT_TIMEOUT_MS, 0)
        set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        if let file = configuration.authorityFile { set(CURLOPT_CAINFO, file) }
        if !configuration.usesProxyOfEnvironment { set(CURLOPT_PROXY, "") }
        if let path = request.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let digest = request.digest {
            set(CURLOPT_HTTPAUTH, offpeak_curl_digest())
            set(CURLOPT_USERNAME, digest.user)
            set(CURLOPT_PASSWORD, digest.password)
        }
        if let pin = request.pinnedKey {
            set(CURLOPT_PINNEDPUBLICKEY, pin)
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        setMethod(request)
    }

    /// A connection that something else than HTTP is spoken over.
    mutating func setConnection(to address: String, _ files: EncryptionFiles, milliseconds: Int) {
        set(CURLOPT_URL, address)
        set(CURLOPT_PROTOCOLS_STR, "https")
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_PROXY, "")
        // It would offer HTTP.
        set(CURLOPT_SSL_ENABLE_ALPN, 0)
        if let file = files.authority { set(CURLOPT_CAINFO, file) }
        if let file = files.certificate { set(CURLOPT_SSLCERT, file) }
        if let file = files.key { set(CURLOPT_SSLKEY, file) }
    }

    private mutating func setMethod(_ request: WebRequest) {
        switch request.method {
        case "GET" where request.body == nil: set(CURLOPT_HTTPGET, 1)
        case "HEAD": set(CURLOPT_NOBODY, 1)
        case let method:
            if let body = request.body ?? (method == "POST" ? [] : nil) {
                note(offpeak_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
                // Null would mean "none"; the library copies as many bytes as were announced.
                let pointed = body.isEmpty ? [0] : body
                note(
                    pointed.withUnsafeBytes { bytes in
                        offpeak_curl_set_text(
                            handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
                    })
            }
            set(CURLOPT_CUSTOMREQUEST, method)
        }
    }

    /// The request's header fields.
    /// - Returns: the library's list of them, to be freed after the transfer.
    mutating func setHeaders(
        _ request: WebRequest, _ configuration: WebClientConfiguration
    ) -> UnsafeMutablePointer<curl_slist>? {
        // An empty value takes a field away that the library would add: the wait for "100 Continue", which few
        // servers give, and the media type of web forms.
        var lines = ["Expect:"]
        if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        lines += request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                isComplete = false
                return list
            }
            list = longer
        }
        note(offpeak_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list))
        return list
    }

    /// Lets the library hand what comes to the transfer at `context`, which must outlive the handle.
    mutating func setReceivers(context: UnsafeMutableRawPointer) {
        note(offpeak_curl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        note(
            offpeak_curl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    .receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
            })
        note(offpeak_curl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        note(
            offpeak_curl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    .receivePiece(UnsafeRawBufferPointer(start: bytes, count: size * count))
            })
    }
}

extension Duration {
    /// Rounded up, and at most some days.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
