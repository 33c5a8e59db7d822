/// A listener that speaks TLS 1.2 and later.
package struct TLSConfiguration: Sendable, Equatable {
    /// The address or name to listen on.
    package var host: String
    /// The TCP port; 0 takes any free one.
    package var port: Int
    /// The file with the certificate, and those between it and its authority, in PEM; read again when it has changed.
    package var certificatePath: String
    /// The file with the certificate's private key in PEM.
    package var keyPath: String
    /// How often the files are looked at again while clients come.
    package var renewalCheck = Duration.seconds(60)

    /// Makes a configuration.
    package init(host: String, port: Int, certificatePath: String, keyPath: String) {
        self.host = host
        self.port = port
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }
}
