import MQTT
import WebClient

/// A TLS connection under a reader of MQTT.
final class EncryptedReading: ReaderConnection {
    private let socket: EncryptedSocket

    /// Connects with these files.
    static func connector(_ tls: MQTTConfiguration.TLS) -> MQTTReader.Connector {
        { (place, wait) throws(MQTTError) in try EncryptedReading(to: place, tls, within: wait) }
    }

    /// Connects.
    /// - Throws: `MQTTError.connectionLost`, also where the other side can't be trusted.
    init(to place: MQTTPlace, _ tls: MQTTConfiguration.TLS, within wait: Duration) throws(MQTTError) {
        let files = EncryptionFiles(
            authority: tls.authorityFile, certificate: tls.certificateFile, key: tls.keyFile)
        do {
            socket = try EncryptedSocket(to: place.host, place.port, files, within: wait)
        } catch {
            throw .connectionLost(error.description)
        }
    }

    func send(_ bytes: [UInt8], within wait: Duration) throws(MQTTError) {
        do { try socket.send(bytes, within: wait) } catch { throw .connectionLost(error.description) }
    }

    func receive(within wait: Duration) throws(MQTTError) -> [UInt8]? {
        do { return try socket.receive(within: wait) } catch { throw .connectionLost(error.description) }
    }
}
