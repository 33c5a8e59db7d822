/// Where a device is at a broker.
///
/// Its description leaves the password out.
public struct DeviceTopic: Sendable, Equatable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The broker; the hub's own where it is not given.
    public var host: String?
    /// The broker's port.
    public var port: UInt16?
    /// The user at that broker.
    public var user: String?
    /// That user's password.
    public var password: String?
    /// Whether that broker is spoken to over TLS.
    public var usesTLS = false
    /// A file with the authorities to trust for that, in PEM; absent for those of the system.
    public var authorityFile: String?
    /// The hub's own certificate for that broker, in PEM, where it asks for one.
    public var certificateFile: String?
    /// The key of that certificate, in PEM and without a passphrase.
    public var keyFile: String?
    /// What `{topic}` of the profile stands for.
    public var topic: String?
    /// What the profile's other placeholders stand for.
    public var parameters: [String: String]

    /// Names a place.
    public init(_ topic: String? = nil, host: String? = nil, port: UInt16? = nil, parameters: [String: String] = [:]) {
        self.topic = topic
        self.host = host
        self.port = port
        self.parameters = parameters
    }

    /// Broker and topic.
    public var description: String {
        let broker = host.map { "\($0):\(port ?? 1883) " } ?? ""
        return "mqtt \(broker)\(topic ?? "")"
    }

    /// The same.
    public var debugDescription: String { description }
}

/// Where a device is over HTTP.
///
/// Its description leaves the secrets out.
public struct DeviceAddress: Sendable, Equatable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The beginning of every address, without a `/` at its end, such as `http://192.0.2.7`.
    public var base: String
    /// Who asks.
    public var user: String?
    /// That user's password.
    public var password: String?
    /// A token instead.
    public var token: String?
    /// The only public key to trust over HTTPS, as `sha256//…`; absent where the certificate has to be right.
    public var pinnedKey: String?
    /// What the profile's placeholders stand for.
    public var parameters: [String: String]

    /// Names an address.
    public init(_ base: String, parameters: [String: String] = [:]) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.parameters = parameters
    }

    /// Whether this way to log in is possible with what is given.
    public func fits(_ login: ProfileLogin) -> Bool {
        if login.takesPassword { return password != nil }
        if login.takesToken { return token != nil }
        return password == nil && token == nil
    }

    /// The beginning of every address.
    public var description: String { base }
    /// The same.
    public var debugDescription: String { description }
}
