import MQTT
import WebClient

/// A TLS connection under a reader of MQTT.
final class EncryptedReading: ReaderConnection {
    private let socket: EncryptedSocket
    /// Whether the broker has said anything.
    private var isHeard = false
    private let showsCertificate: Bool

    /// Connects with these files.
    static func connector(_ tls: MQTTConfiguration.TLS) -> MQTTReader.Connector {
        { (place, wait) throws(MQTTError) in try EncryptedReading(to: place, tls, within: wait) }
    }

    /// Connects.
    /// - Throws: `MQTTError.encryption` where the other side can't be trusted or a file can't be used, otherwise
    ///   `.connectionLost`.
    init(to place: MQTTPlace, _ tls: MQTTConfiguration.TLS, within wait: Duration) throws(MQTTError) {
        if let fault = tls.faults.first(where: { !$0.isTime }) {
            throw .encryption("\(fault.reason); \(fault.remedy)")
        }
        showsCertificate = tls.certificateFile != nil
        let files = EncryptionFiles(
            authority: tls.authorityFile, certificate: tls.certificateFile, key: tls.keyFile)
        do {
            socket = try EncryptedSocket(to: place.host, place.port, files, within: wait)
        } catch {
            if case .connectionLost = error { throw Self.broken(tls.certificateFile != nil) }
            throw Self.error(error)
        }
    }

    func send(_ bytes: [UInt8], within wait: Duration) throws(MQTTError) {
        do { try socket.send(bytes, within: wait) } catch { throw lost(error) }
    }

    func receive(within wait: Duration) throws(MQTTError) -> [UInt8]? {
        do {
            let bytes = try socket.receive(within: wait)
            if bytes != nil { isHeard = true }
            return bytes
        } catch {
            throw lost(error)
        }
    }

    /// A broker says only after the handshake that it does not trust this side, and then breaks the connection.
    private func lost(_ error: WebClientError) -> MQTTError {
        isHeard ? Self.error(error) : Self.broken(showsCertificate)
    }

    private static func broken(_ showsCertificate: Bool) -> MQTTError {
        .encryptionBroken(
            showsCertificate
                ? "the broker closed the connection before its answer; look in its log whether it trusts the certificate"
                : "the broker closed the connection before its answer; it may ask for a certificate (name it and its key)"
        )
    }

    private static func error(_ error: WebClientError) -> MQTTError {
        if case .tlsFailed = error { .encryption(error.description) } else { .connectionLost(error.description) }
    }
}
