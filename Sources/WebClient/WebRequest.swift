/// What to ask for.
///
/// Its description shows neither headers nor query nor body, which may hold secrets.
package struct WebRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method, in capitals.
    package var method: String
    /// The address: `http` or `https`, without a user or password; those belong into a header.
    package var url: String
    /// Header fields; `Host`, `Content-Length`, `Accept-Encoding` and `Connection` are written by the client.
    package var headers: WebHeaders
    /// The body; nil for none.
    package var body: [UInt8]?
    /// Who asks, where the server wants that by digest (RFC 7616); only to the address's own host.
    package var digest: WebDigest?
    /// The only public key to trust, as `sha256//` and the Base64 of its hash.
    ///
    /// For a device with a certificate that nobody vouches for: name and issuer then play no part.
    package var pinnedKey: String?
    /// The unix socket to connect to instead of the address's host, which then is only the `Host` field.
    package var unixSocket: String?
    /// How long and how large the exchange may be.
    package var limits: WebLimits
    /// How many redirections of a GET or HEAD to follow; more, and those of other methods, come back as they are.
    ///
    /// None leads from `https` to `http`, and at another origin only `Accept`, `Accept-Language` and `User-Agent` are
    /// sent.
    package var maximumRedirects = 0

    /// Makes a request.
    package init(
        _ method: String = "GET", _ url: String, headers: WebHeaders = [:], body: [UInt8]? = nil,
        unixSocket: String? = nil, limits: WebLimits = WebLimits()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.unixSocket = unixSocket
        self.limits = limits
    }

    /// Method, scheme, host and path.
    package var description: String {
        guard let address = try? WebAddress(url) else { return "\(method) (not an address)" }
        return "\(method) \(unixSocket.map { "unix:\($0)" } ?? address.origin)\(address.path)"
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A user and a password for a server that asks for a digest of them, which keeps the password off the wire.
///
/// Its description leaves the password out.
package struct WebDigest: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The user.
    package var user: String
    /// The password.
    package var password: String

    /// Names a user.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    package var description: String { user }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebRequest {
    /// The same request, answered with 304 and no body as long as the content is the one that `validator` came with.
    package func unlessUnchanged(since validator: WebValidator?) -> WebRequest {
        var request = self
        request.headers["If-None-Match"] = validator?.entityTag
        request.headers["If-Modified-Since"] = validator?.entityTag == nil ? validator?.lastModified : nil
        return request
    }
}

/// What tells one version of a resource from another; to be kept beside the content.
package struct WebValidator: Sendable, Codable, Equatable {
    /// The `ETag`, as sent.
    package var entityTag: String?
    /// `Last-Modified`, as sent.
    package var lastModified: String?

    /// Makes a validator; nil without either.
    package init?(entityTag: String?, lastModified: String?) {
        guard entityTag != nil || lastModified != nil else { return nil }
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}
