import Foundation
import MQTT
import YAML

/// How a broker is spoken to over TLS, if at all.
package struct BrokerTLS: Sendable, Equatable {
    /// Whether it is.
    package var isUsed = false
    /// A file with the authorities to trust for that; nothing for those of the system.
    package var authorityFile: String?
    /// The hub's own certificate, for brokers that ask for one.
    package var certificateFile: String?
    /// The key of that certificate.
    package var keyFile: String?
}

extension ConfigurationReader {
    /// Whether a broker is spoken to over TLS, and with which files; naming one of them asks for it.
    func readBrokerTLS(_ reader: inout YAMLReader) -> BrokerTLS {
        let isUsed = reader.optionalBool("tls")
        var tls = BrokerTLS()
        tls.authorityFile = pem(
            &reader, "ca_file", isUsed, what: "an authority", has: "CERTIFICATE",
            hint: "name a file with the authority's certificate in PEM")
        tls.certificateFile = pem(
            &reader, "certificate_file", isUsed, what: "a certificate", has: "CERTIFICATE",
            hint: "name a file with the hub's certificate in PEM")
        tls.keyFile = pem(
            &reader, "key_file", isUsed, what: "a key", has: "PRIVATE KEY",
            hint: "name a file with the key of the hub's certificate in PEM")
        checkPair(reader)
        if isUsed != false { checkContent(tls, reader) }
        let isNamed = tls.authorityFile != nil || tls.certificateFile != nil || tls.keyFile != nil
        tls.isUsed = isUsed ?? isNamed
        return tls
    }

    private func checkPair(_ reader: YAMLReader) {
        let pair = ["certificate_file", "key_file"]
        let there = pair.filter { reader.node[$0] != nil }
        guard let key = there.first, there.count == 1, let missing = pair.first(where: { $0 != key }) else { return }
        reader.add("a certificate and its key go together", hint: "add '\(missing)'", at: key)
    }

    /// What OpenSSL finds in the files; one whose time is over must not keep the house from starting.
    private func checkContent(_ tls: BrokerTLS, _ reader: YAMLReader) {
        let files = MQTT.MQTTConfiguration.TLS(
            authorityFile: tls.authorityFile, certificateFile: tls.certificateFile, keyFile: tls.keyFile)
        for fault in files.faults {
            let (key, path, kind) =
                switch fault.file {
                case .authority: ("ca_file", tls.authorityFile, "CERTIFICATE")
                case .certificate: ("certificate_file", tls.certificateFile, "CERTIFICATE")
                case .key: ("key_file", tls.keyFile, "PRIVATE KEY")
                }
            if fault.isTime {
                reader.issues.warn(fault.reason, hint: fault.remedy, at: reader.place(key))
            } else if let path, let text = Self.text(of: URL(fileURLWithPath: path)), Self.has(kind, text) {
                reader.issues.add(fault.reason, hint: fault.remedy, at: reader.place(key))
            }
        }
    }

    private static func text(of path: URL) -> String? {
        (try? Data(contentsOf: path)).map { String(decoding: $0.prefix(1_000_000), as: UTF8.self) }
    }

    /// Whether there is a block of a kind that needs no passphrase.
    private static func has(_ kind: String, _ text: String) -> Bool {
        text.contains("\(kind)-----") && !isLocked(kind, text)
    }

    private static func isLocked(_ kind: String, _ text: String) -> Bool {
        kind == "PRIVATE KEY" && text.contains("ENCRYPTED")
    }

    /// A file in PEM form with a block of a kind in it.
    private func pem(
        _ reader: inout YAMLReader, _ key: String, _ isUsed: Bool?, what: String, has kind: String, hint: String
    ) -> String? {
        guard let path = path(&reader, key) else { return nil }
        guard FileManager.default.kind(of: path) == .typeRegular else {
            reader.add("there is no file \(path.path)", hint: hint, at: key)
            return path.path
        }
        if isUsed == false { reader.add("\(what) is for TLS", hint: "remove it, or write tls: true", at: key) }
        // The hub's own user may be the only one who can read it; whoever checks need not be.
        guard isUsed != false, let text = Self.text(of: path) else { return path.path }
        if Self.isLocked(kind, text) {
            reader.add(
                "the key in \(path.path) has a passphrase, and nobody is there to be asked for it",
                hint: "take it off: openssl pkey -in KEY -out NEW", at: key)
        } else if !Self.has(kind, text) {
            reader.add("\(path.path) has no \(kind.lowercased()) in it", hint: hint, at: key)
        }
        return path.path
    }
}
