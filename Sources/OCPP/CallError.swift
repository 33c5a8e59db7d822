package import HubKit

/// Why one side did not carry out the other's call: what a CALLERROR frame says.
package struct CallError: RetryableError, Equatable, CustomStringConvertible {
    /// The codes of OCPP 1.6J, section 4.2.3, in its own spelling.
    package enum Code: String, Sendable, CaseIterable {
        case notImplemented = "NotImplemented"
        case notSupported = "NotSupported"
        case internalError = "InternalError"
        case protocolError = "ProtocolError"
        case securityError = "SecurityError"
        case formationViolation = "FormationViolation"
        case propertyConstraintViolation = "PropertyConstraintViolation"
        case occurenceConstraintViolation = "OccurenceConstraintViolation"
        case typeConstraintViolation = "TypeConstraintViolation"
        case genericError = "GenericError"

        /// The code of this name, also in the spelling of later versions; what is not known is a generic error.
        package init(name: String) {
            switch name {
            case "FormatViolation": self = .formationViolation
            case "OccurrenceConstraintViolation": self = .occurenceConstraintViolation
            default: self = Code(rawValue: name) ?? .genericError
            }
        }
    }

    /// What kind of fault it is.
    package let code: Code
    /// What is wrong, for people.
    package let text: String

    /// Makes an error.
    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// The code, and what the other side said of it.
    package var description: String { text.isEmpty ? code.rawValue : "\(code.rawValue): \(text)" }

    /// A call that is not known will not be known the next time; anything else may pass.
    package var retryClass: RetryClass {
        switch code {
        case .notImplemented, .notSupported: .permanent
        default: .transient
        }
    }
}
