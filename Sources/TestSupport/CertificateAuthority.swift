import Foundation

/// A certificate authority of a test's own, made by the program `openssl`; everything lies in one folder.
package struct CertificateAuthority: Sendable {
    /// Whether `openssl` is on this machine.
    package static var isInstalled: Bool { ChildProcess.path(of: "openssl") != nil }

    private let folder: TemporaryFolder
    private let name: String

    /// Makes an authority.
    /// - Parameters:
    ///   - folder: where its files go.
    ///   - name: the beginning of its files' names.
    /// - Throws: `ChildProcess.Failure` with the words of `openssl`.
    package init(in folder: TemporaryFolder, name: String = "authority") async throws {
        self.folder = folder
        self.name = name
        try await run(["req", "-x509"] + Self.newKey + ["-days", "2", "-subj", "/CN=\(name)"] + Self.files(name))
    }

    /// Makes a certificate that vouches for itself: `NAME.pem` and `NAME.key`, which take the place of older ones.
    /// - Parameters:
    ///   - host: the name that it is for.
    ///   - folder: where its files go.
    ///   - name: the beginning of its files' names.
    /// - Throws: `ChildProcess.Failure` with the words of `openssl`.
    package static func makeSelfSigned(
        for host: String = "localhost", in folder: TemporaryFolder, name: String
    ) async throws {
        let subject = ["-days", "2", "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)"]
        try await run(["req", "-x509"] + newKey + subject + files(name), in: folder)
    }

    /// The authority's certificate, in PEM.
    package var certificate: String { folder.file("\(name).pem").path }

    /// Issues a certificate for the name `localhost` and a common name.
    /// - Returns: the paths of the certificate and its key, in PEM.
    /// - Throws: `ChildProcess.Failure` with the words of `openssl`.
    package func issue(_ commonName: String) async throws -> (certificate: String, key: String) {
        let (request, extensions) = ("\(commonName).csr", "\(commonName).ext")
        try folder.write("subjectAltName=DNS:localhost\n", to: extensions)
        try await run(
            ["req"] + Self.newKey
                + ["-subj", "/CN=\(commonName)", "-keyout", folder.file("\(commonName).key").path, "-out", request])
        try await run([
            "x509", "-req", "-in", request, "-CA", "\(name).pem", "-CAkey", "\(name).key", "-CAcreateserial", "-days",
            "2", "-extfile", extensions, "-out", "\(commonName).pem",
        ])
        return (folder.file("\(commonName).pem").path, folder.file("\(commonName).key").path)
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    private static func files(_ name: String) -> [String] { ["-keyout", "\(name).key", "-out", "\(name).pem"] }

    private func run(_ arguments: [String]) async throws { try await Self.run(arguments, in: folder) }

    private static func run(_ arguments: [String], in folder: TemporaryFolder) async throws {
        let outcome = try await ChildProcess.run("openssl", arguments, workingDirectory: folder.url)
        guard outcome.status == 0 else {
            throw ChildProcess.Failure.cannotStart("openssl", reason: outcome.standardError)
        }
    }
}
