/// How devices of a profile are spoken to.
public enum ProfileLink: Sendable, Equatable {
    /// Modbus, as the profile's `transport` says.
    case modbus
    /// Topics of an MQTT broker.
    case mqtt(ProfileTopics)
    /// Requests over HTTP.
    case http(ProfileRequests)
}

/// What a device says and listens to at a broker.
public struct ProfileTopics: Sendable, Equatable {
    /// What `{topic}` stands for where the person names no topic.
    public var topic: String?
    /// What the device publishes.
    public var messages: [ProfileMessage] = []
    /// Where it says whether it is there.
    public var alive: ProfilePresence?

    /// No topics.
    public init() {}
}

/// One topic that a device publishes to.
public struct ProfileMessage: Sendable, Equatable {
    /// Its name within the profile.
    public var name: String
    /// The topic, with placeholders.
    public var topic: String
    /// Clock seconds after which what was said is no longer a reading.
    public var staleSeconds: Double
    /// Whether it is said only when it changes: what was said last then holds while the device is there, also where the
    /// broker kept it.
    public var holds = false
    /// The path to the time that the device gives with it.
    public var time: String?
    /// What is published to make the device say it.
    public var ask: ProfileQuestion?
    /// Whether a device that never says it is none the worse.
    public var isOptional = false

    /// Makes a message.
    public init(name: String, topic: String, staleSeconds: Double = 120) {
        self.name = name
        self.topic = topic
        self.staleSeconds = staleSeconds
    }
}

/// A message that makes a device speak.
public struct ProfileQuestion: Sendable, Equatable {
    /// The topic, with placeholders.
    public var topic: String
    /// The payload, with placeholders.
    public var payload: String
    /// Clock seconds between two questions while the device does not speak by itself.
    public var everySeconds: Double

    /// Makes a question.
    public init(topic: String, payload: String, everySeconds: Double) {
        self.topic = topic
        self.payload = payload
        self.everySeconds = everySeconds
    }
}

/// Where a device says whether it is there, such as its last will.
public struct ProfilePresence: Sendable, Equatable {
    /// The topic, with placeholders.
    public var topic: String
    /// The path to the word, where the payload is JSON.
    public var path: String?
    /// The words for "there"; any other means that it is gone.
    public var online: [String]

    /// Describes it.
    public init(topic: String, path: String? = nil, online: [String]) {
        self.topic = topic
        self.path = path
        self.online = online
    }
}

/// How a device wants to know who asks.
public enum ProfileLogin: String, Sendable, CaseIterable {
    /// It asks for nothing.
    case none
    /// User and password with each request.
    case basic
    /// User and password by digest, which keeps the password off the wire.
    case digest
    /// A token behind the word `Bearer`.
    case bearer
    /// A token alone in the field `Authorization`.
    case token

    /// Whether it takes a user and a password.
    public var takesPassword: Bool { self == .basic || self == .digest }
    /// Whether it takes a token.
    public var takesToken: Bool { self == .bearer || self == .token }
}

/// What a device answers over HTTP.
public struct ProfileRequests: Sendable, Equatable {
    /// The requests.
    public var requests: [ProfileRequest] = []
    /// The ways to log in; the first that fits what the person gives is taken.
    public var logins: [ProfileLogin] = [.none]
    /// Header fields that every request needs.
    public var headers: [String: String] = [:]
    /// How long the device may take to answer, in real milliseconds.
    public var timeoutMilliseconds = 5000
    /// What statuses mean, and how to mend them, in words.
    public var errors: [Int: String] = [:]

    /// No requests.
    public init() {}
}

/// One request that brings values.
public struct ProfileRequest: Sendable, Equatable {
    /// Its name within the profile.
    public var name: String
    /// The method, in capitals.
    public var method = "GET"
    /// The path with its query, with placeholders.
    public var path: String
    /// The body, with placeholders.
    public var body: String?
    /// Clock seconds between two of it, where that is less often than the device is read.
    public var everySeconds: Double?
    /// Clock seconds after which values are no longer a reading, by the time that the device gives with them.
    public var staleSeconds = 120.0
    /// The path to that time.
    public var time: String?
    /// What the answer must have.
    public var answer: ProfileAnswer?

    /// Makes a request.
    public init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

/// What an answer must have; devices say "no" with status 200 too.
public struct ProfileAnswer: Sendable, Equatable {
    /// The path.
    public var path: String
    /// The values for "yes".
    public var values: [String]

    /// Describes an answer.
    public init(path: String, values: [String]) {
        self.path = path
        self.values = values
    }
}

/// A part of topics, paths and payloads that differs from one home to the next.
public struct ProfileParameter: Sendable, Equatable {
    /// Its name: the placeholder, and the key in the configuration.
    public var name: String
    /// What it is.
    public var about: String
    /// What holds where the person says nothing; absent where the person has to.
    public var fallback: String?

    /// Makes a parameter.
    public init(name: String, about: String, fallback: String? = nil) {
        self.name = name
        self.about = about
        self.fallback = fallback
    }
}

extension ProfileLink {
    /// The names of what values can come from; nothing for Modbus.
    public var sourceNames: [String]? {
        switch self {
        case .modbus: nil
        case .mqtt(let topics): topics.messages.map(\.name)
        case .http(let requests): requests.requests.map(\.name)
        }
    }
}

extension DeviceProfile {
    /// How it is reached, in a few words: `TCP 502`, `MQTT`, `HTTP`.
    public var way: String {
        switch link {
        case .modbus: transport.summary
        case .mqtt: "MQTT"
        case .http: "HTTP"
        }
    }
}
