public import Foundation

/// What a caller should do about an error; drivers, guidance sources and sinks all speak in these terms.
public enum RetryClass: Sendable, Equatable {
    /// It may pass by itself: try again with backoff.
    case transient
    /// The other side asked to wait; not before `until`, where it named a time.
    case rateLimited(until: Date?)
    /// Trying the same again can't succeed.
    case permanent
    /// A person has to mend something first (a password, a cable); try again rarely.
    case needsPerson
}

/// An error that says whether trying again makes sense.
public protocol RetryableError: Error {
    /// What to do about it.
    var retryClass: RetryClass { get }
}

extension RetryClass {
    /// The class of any error: its own word, or transient where it says nothing.
    public init(of error: any Error) {
        self = (error as? any RetryableError)?.retryClass ?? .transient
    }
}

/// An error of the hub with a code for programs, a sentence for people, and what to do about it.
public struct HubError: RetryableError, CustomStringConvertible, LocalizedError {
    /// What kind of fault it is.
    public enum Code: String, Sendable {
        case configuration, profile, connection, device, refused, storage, guidance, notFound, inUse
    }

    /// What kind of fault it is.
    public let code: Code
    /// What happened, where, and how to mend it; never holds a secret.
    public let message: String
    /// What to do about it.
    public let retryClass: RetryClass

    /// Makes an error.
    public init(_ code: Code, _ message: String, retry: RetryClass = .permanent) {
        self.code = code
        self.message = message
        retryClass = retry
    }

    /// The sentence.
    public var description: String { message }
    /// The sentence.
    public var errorDescription: String? { message }
}
