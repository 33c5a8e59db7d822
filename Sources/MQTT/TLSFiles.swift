import CMosquitto
import Foundation

extension MQTTConfiguration.TLS {
    /// Which of the files something is wrong with.
    package enum File: Sendable, Equatable, CaseIterable { case authority, certificate, key }

    /// What is wrong with a file.
    package struct Fault: Error, Sendable, Equatable {
        /// The file.
        package let file: File
        /// What is wrong there.
        package let reason: String
        /// What mends it.
        package let remedy: String
        /// Whether the file is sound in itself, and only its time is over or has not come.
        package let isTime: Bool
    }

    /// What is wrong with the files as they are now, at most one fault for each; nothing where all can be used.
    ///
    /// Files that can't be read are left out: whoever looks need not be who connects.
    package var faults: [Fault] {
        let own = certificateFault
        return [authorityFault, own, own == nil || own?.isTime == true ? keyFault : nil].compactMap { $0 }
    }

    private var authorityFault: Fault? {
        guard let path = authorityFile, let bytes = Self.bytes(path) else { return nil }
        let certificates = PEM.certificates(bytes)
        guard !certificates.isEmpty else {
            return Fault(
                file: .authority, reason: "\(path) has no certificate in PEM that can be read",
                remedy: "name a file with the authority's certificate in PEM", isTime: false)
        }
        // A bundle may have old ones among many.
        let times = certificates.map(PEM.time)
        guard let time = times.compactMap({ $0 }).first, times.allSatisfy({ $0 != nil }) else { return nil }
        return fault(of: time, .authority, "the authority's certificate in \(path)")
    }

    private var certificateFault: Fault? {
        guard let path = certificateFile, let bytes = Self.bytes(path) else { return nil }
        guard let certificate = PEM.certificates(bytes).first else {
            return Fault(
                file: .certificate, reason: "\(path) has no certificate in PEM that can be read",
                remedy: "name a file with the certificate in PEM", isTime: false)
        }
        return PEM.time(certificate).flatMap { fault(of: $0, .certificate, "the certificate in \(path)") }
    }

    private func fault(of time: PEM.Time, _ file: File, _ what: String) -> Fault {
        switch time {
        case .expired(let day):
            Fault(file: file, reason: "\(what) expired on \(day)", remedy: "have a new one issued", isTime: true)
        case .early(let day):
            Fault(
                file: file, reason: "\(what) counts from \(day) only", remedy: "set this machine's clock right",
                isTime: true)
        }
    }

    private var keyFault: Fault? {
        guard let path = keyFile, let bytes = Self.bytes(path) else { return nil }
        guard let key = PEM.key(bytes) else {
            return Fault(
                file: .key, reason: "\(path) has no key in PEM that can be read without a passphrase",
                remedy: "name a file with the certificate's key in PEM", isTime: false)
        }
        guard let other = certificateFile, let pem = Self.bytes(other),
            let certificate = PEM.certificates(pem).first, !PEM.belong(certificate, key)
        else { return nil }
        return Fault(
            file: .key, reason: "the key in \(path) does not belong to the certificate in \(other)",
            remedy: "name the key that the certificate was made with", isTime: false)
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { Array($0) }
    }
}

/// What is read from PEM by OpenSSL.
private enum PEM {
    enum Time {
        case expired(String)
        case early(String)
    }

    /// A certificate, freed with its last reference.
    final class Certificate {
        let handle: OpaquePointer
        init(_ handle: OpaquePointer) { self.handle = handle }
        deinit { X509_free(handle) }
    }

    /// A key, freed with its last reference.
    final class Key {
        let handle: OpaquePointer
        init(_ handle: OpaquePointer) { self.handle = handle }
        deinit { EVP_PKEY_free(handle) }
    }

    static func certificates(_ bytes: [UInt8]) -> [Certificate] {
        reading(bytes) { source in
            var found: [Certificate] = []
            while let handle = PEM_read_bio_X509(source, nil, nil, nil) { found.append(Certificate(handle)) }
            return found
        } ?? []
    }

    static func key(_ bytes: [UInt8]) -> Key? {
        reading(bytes) { source in
            // Without this OpenSSL asks the terminal for a passphrase.
            PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil).map(Key.init)
        } ?? nil
    }

    static func belong(_ certificate: Certificate, _ key: Key) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(certificate.handle, key.handle) == 1
    }

    /// Whether a certificate's time is over or has not come.
    static func time(_ certificate: Certificate) -> Time? {
        if let end = X509_get0_notAfter(certificate.handle), X509_cmp_current_time(end) < 0 {
            return .expired(day(end))
        }
        if let begin = X509_get0_notBefore(certificate.handle), X509_cmp_current_time(begin) > 0 {
            return .early(day(begin))
        }
        return nil
    }

    private static func day(_ time: UnsafePointer<ASN1_TIME>) -> String {
        var parts = tm()
        guard ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unknown day" }
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }

    private static func reading<Value>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Value) -> Value? {
        bytes.withUnsafeBytes { buffer in
            guard let source = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
            defer {
                BIO_free(source)
                // What could not be read must not show in the next connection's fault.
                ERR_clear_error()
            }
            return body(source)
        }
    }
}
