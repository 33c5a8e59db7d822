import CMosquitto

/// Why an encrypted connection did not come about, put together from what OpenSSL and libmosquitto said on the way.
///
/// Libmosquitto's own codes say "protocol error" or "a TLS error occurred" for all of it.
struct TLSTrouble {
    /// Lines of the libraries, oldest first.
    private var lines: [String] = []
    /// The result of looking at the broker's certificate; 0 for a good one, or for none.
    private var verification = 0

    var isEmpty: Bool { lines.isEmpty && verification == 0 }

    mutating func note(_ line: String, verification: Int) {
        if verification != 0 { self.verification = verification }
        if lines.count < 10 { lines.append(line) }
    }

    /// What is wrong, where, and how to mend it; nothing where nothing was said of encryption.
    func words(_ tls: MQTTConfiguration.TLS, host: String) -> String? {
        guard !isEmpty else { return nil }
        return aboutName(host) ?? aboutBroker(tls) ?? aboutSelf(tls) ?? aboutProtocol ?? rest
    }

    /// What may be wrong where the broker broke the connection off without a word that arrived.
    /// - Parameters:
    ///   - tls: the files.
    ///   - isReached: whether anybody was seen at the other end; the library's handshake takes the system's word away.
    ///   - hasAgreed: whether both sides had agreed on encryption.
    static func guess(_ tls: MQTTConfiguration.TLS, isReached: Bool, hasAgreed: Bool) -> String {
        guard hasAgreed else {
            let what =
                isReached ? "the broker broke off while the encrypted connection began" : "no encrypted connection"
            return
                "\(what); look whether the broker runs and speaks TLS at this port (as a rule that is 8883), and in its log what it misses"
        }
        let remedy =
            tls.certificateFile.map { "look in its log whether it trusts the certificate in \($0)" }
            ?? "it may ask for a certificate (certificate_file and key_file)"
        return "the broker closed the encrypted connection before its answer; \(remedy)"
    }

    private func said(_ words: String...) -> Bool {
        lines.contains { line in words.contains { line.contains($0) } }
    }

    private func aboutName(_ host: String) -> String? {
        guard
            said("host name verification failed") || verification == Int(X509_V_ERR_HOSTNAME_MISMATCH)
                || verification == Int(X509_V_ERR_IP_ADDRESS_MISMATCH)
        else { return nil }
        return
            "the broker's certificate is not for the name '\(host)'; connect to a name that stands in it, or give the broker one with this name"
    }

    private func aboutBroker(_ tls: MQTTConfiguration.TLS) -> String? {
        switch Int32(truncatingIfNeeded: verification) {
        case X509_V_OK: return nil
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "the broker's certificate has expired; renew it there, or set this machine's clock right"
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return "the broker's certificate does not count yet; set this machine's clock right"
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            let whom = tls.authorityFile.map { "the authority in \($0)" } ?? "an authority that this machine knows"
            return
                "the broker's certificate was not issued by \(whom); name the file with the broker's own authority (ca_file)"
        default:
            let text = X509_verify_cert_error_string(verification).map { String(cString: $0) } ?? "\(verification)"
            return "the broker's certificate can't be trusted (\(text)); have a sound one issued for it"
        }
    }

    /// What the broker holds against this side's certificate.
    private func aboutSelf(_ tls: MQTTConfiguration.TLS) -> String? {
        let own = tls.certificateFile.map { "the certificate in \($0)" }
        let file = tls.certificateFile ?? "certificate_file"
        if said("certificate required") || own == nil && said("alert handshake failure", "alert bad certificate") {
            return "the broker asks for a certificate and was shown none; name certificate_file and key_file"
        }
        guard let own else { return nil }
        if said("alert unknown ca") {
            return "the broker does not know the authority of \(own); have it issued by the one that the broker trusts"
        }
        if said("alert certificate expired") { return "\(own) has expired, says the broker; have a new one issued" }
        if said("alert certificate revoked") { return "\(own) was revoked, says the broker; have a new one issued" }
        if said("alert bad certificate", "alert certificate unknown", "alert unsupported certificate", "access denied")
        {
            return "the broker refuses \(own); have one issued that it takes"
        }
        if said("key values mismatch") {
            return "the key does not belong to \(own); name the key that it was made with"
        }
        if said("no start line", "bad base64", "PEM lib") { return "\(file), or another of the files, is no PEM" }
        return nil
    }

    private var aboutProtocol: String? {
        if said("wrong version number", "packet length too long", "http request") {
            return "the broker speaks no TLS at this port; take its port for TLS, as a rule 8883, or leave TLS out"
        }
        if said("protocol version", "unsupported protocol", "no protocols available", "no shared cipher") {
            return "the broker and this machine have no version of TLS in common; bring the older of them up to date"
        }
        if said("certificate verify failed") {
            return "the broker's certificate can't be trusted; name the file with its authority (ca_file)"
        }
        return nil
    }

    /// The library's own words for what nobody foresaw, without its numbers.
    private var rest: String? {
        if said("unexpected eof") { return nil }
        let text = lines.compactMap { $0.split(separator: ":").last.map(String.init) }.first
        return text.map { "the encrypted connection failed (\($0.split(separator: " ").joined(separator: " ")))" }
    }
}
