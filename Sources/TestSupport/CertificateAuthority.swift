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

    /// Issues a certificate for the name `localhost`, with a key that is there, for a time of its own.
    /// - Parameters:
    ///   - commonName: also the beginning of its file's name.
    ///   - key: the key's path.
    ///   - first: the day on which it begins to count; 0 is today.
    ///   - last: the day on which that ends.
    /// - Returns: the certificate's path, in PEM.
    /// - Throws: `ChildProcess.Failure` with the words of `openssl`.
    package func issue(_ commonName: String, key: String, fromDay first: Int, untilDay last: Int) async throws -> String
    {
        func day(_ days: Int) -> String {
            let moment = Date(timeIntervalSinceNow: Double(days) * 86_400)
            return moment.formatted(.iso8601.year().month().day().dateSeparator(.omitted)) + "000000Z"
        }
        try folder.write(
            """
            [ca]
            default_ca = own
            [own]
            database = \(commonName).index
            serial = \(commonName).serial
            new_certs_dir = .
            default_md = sha256
            policy = any
            x509_extensions = names
            [any]
            commonName = supplied
            [names]
            subjectAltName = DNS:localhost

            """, to: "\(commonName).cnf")
        try folder.write("", to: "\(commonName).index")
        try folder.write("\(Int.random(in: 1000...4999) * 2)\n", to: "\(commonName).serial")
        try await run(["req", "-new", "-key", key, "-subj", "/CN=\(commonName)", "-out", "\(commonName).csr"])
        try await run([
            "ca", "-batch", "-config", "\(commonName).cnf", "-cert", "\(name).pem", "-keyfile", "\(name).key", "-in",
            "\(commonName).csr", "-out", "\(commonName).pem", "-startdate", day(first), "-enddate", day(last),
            "-notext",
        ])
        return folder.file("\(commonName).pem").path
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
