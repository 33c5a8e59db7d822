import CWebSockets

/// The library's virtual host that speaks TLS, and the age of the files it was made from.
///
/// Files that can't be used are said once and tried again, so that a mended or renewed certificate needs no restart. Lives
/// on the service thread.
final class Encryption {
    private let configuration: TLSConfiguration
    private var made: OpaquePointer?
    private var stamps: [Int?] = []
    private var looksAgainAt = Int64.min
    private var fault: String?

    private static let triesAfter: Int64 = 5_000_000

    init(_ configuration: TLSConfiguration) { self.configuration = configuration }

    /// What speaks TLS with the files as they are; nil while they can't be used.
    func host(_ loop: EventLoop) -> OpaquePointer? {
        guard loop.now >= looksAgainAt, let context = loop.context else { return made }
        let new = [configuration.certificatePath, configuration.keyPath].map { Posix.changed($0) }
        if made == nil {
            make(context, loop)
        } else if new != stamps, !new.contains(nil) {
            // Files that are half written leave the old certificate in force, and are tried when they change again.
            _ = lws_tls_cert_updated(context, configuration.certificatePath, configuration.keyPath, nil, 0, nil, 0)
        }
        stamps = new
        let looksAfter = configuration.renewalCheck.microseconds
        looksAgainAt = loop.now + (made == nil ? min(Self.triesAfter, looksAfter) : looksAfter)
        return made
    }

    private func make(_ context: OpaquePointer, _ loop: EventLoop) {
        if let missing = [configuration.certificatePath, configuration.keyPath].first(where: { !Posix.canRead($0) }) {
            return say(
                .cannotUseCertificate(path: missing, reason: "there is no such file, or it may not be read"), loop)
        }
        made = offpeak_lws_create_tls(
            context, loop.memory.protocols, loop.memory.policy, configuration.certificatePath, configuration.keyPath)
        guard made == nil else { return fault = nil }
        say(
            .cannotUseCertificate(
                path: configuration.certificatePath,
                reason: "it has to hold a certificate in PEM, and \(configuration.keyPath) its private key"), loop)
    }

    private func say(_ error: WebServerError, _ loop: EventLoop) {
        let text = "nobody is served over TLS: \(error)"
        guard text != fault else { return }
        fault = text
        loop.report(text)
    }
}

extension EventLoop {
    /// Takes an accepted connection that is to be encrypted.
    func adoptEncrypted(_ descriptor: Int32) {
        guard let host = encryption?.host(self), hasRoom else { return Posix.close(descriptor) }
        let address = SocketOptions.peerAddress(descriptor)
        SocketOptions.sendSmallPieces(descriptor)
        let session = TLSSession(id: nextID(), loop: self, remoteAddress: address)
        register(session)
        guard let handle = offpeak_lws_adopt_tls(host, descriptor, session.id) else { return forget(session) }
        session.handle = handle
    }
}
