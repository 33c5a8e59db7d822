import Foundation

/// One message of OCPP-J: a JSON array in a WebSocket text frame.
///
/// ## File Format
/// `[2,"id","Action",{payload}]` is a call, `[3,"id",{payload}]` its result, `[4,"id","code","text",{details}]` its
/// refusal (OCPP 1.6J, section 4).
package enum Frame: Sendable, Equatable {
    /// One side asks the other.
    case call(id: String, action: String, payload: Payload)
    /// The answer.
    case result(id: String, payload: Payload)
    /// The answer that it was not carried out.
    case refusal(id: String, CallError)

    /// What is wrong with a text that is no frame.
    package struct Fault: Error, Equatable {
        /// The call it is the answer to; `-1` where the text names none.
        package var id = "-1"
        /// What is wrong.
        package var error: CallError
        /// Whether the other side waits for an answer; one to an answer is never sent.
        package var wantsAnswer = true
    }

    /// Reads a frame.
    /// - Throws: `Fault` that says what to answer.
    package init(_ text: String) throws(Fault) {
        guard let data = text.data(using: .utf8), let json = try? JSONDecoder().decode(Payload.self, from: data) else {
            throw Fault(error: CallError(.formationViolation, "a message is JSON"))
        }
        guard let parts = json.asList, case .number(let kind)? = parts.first else {
            throw Fault(error: CallError(.formationViolation, "a message is an array that begins with 2, 3 or 4"))
        }
        let id = parts.count > 1 ? Frame.id(parts[1]) : nil
        switch kind {
        case 2: self = try Frame.call(parts, id: id)
        case 3:
            guard let id, parts.count > 2 else {
                throw Fault(error: CallError(.protocolError, "a result has an id and a payload"), wantsAnswer: false)
            }
            self = .result(id: id, payload: parts[2])
        case 4:
            guard let id, parts.count > 2 else {
                throw Fault(error: CallError(.protocolError, "a refusal has an id and a code"), wantsAnswer: false)
            }
            let text = parts.count > 3 ? parts[3].asText ?? "" : ""
            self = .refusal(id: id, CallError(.init(name: parts[2].asText ?? ""), String(text.prefix(255))))
        default:
            throw Fault(
                id: id ?? "-1", error: CallError(.protocolError, "a message begins with 2, 3 or 4"), wantsAnswer: false)
        }
    }

    private static func call(_ parts: [Payload], id: String?) throws(Fault) -> Frame {
        guard let id else { throw Fault(error: CallError(.protocolError, "a call has an id")) }
        guard parts.count > 2, let action = parts[2].asText else {
            throw Fault(id: id, error: CallError(.protocolError, "a call names an action"))
        }
        // Several chargers leave out a payload that would be empty, or send null in its place.
        let payload = parts.count > 3 && parts[3] != .null ? parts[3] : .empty
        guard case .object = payload else {
            throw Fault(id: id, error: CallError(.formationViolation, "the payload of a call is an object"))
        }
        return .call(id: id, action: action, payload: payload)
    }

    /// An id is a string of at most 36 characters; longer ones, and numbers, are answered as they are.
    private static func id(_ value: Payload) -> String? {
        switch value {
        case .text(let text) where (1...256).contains(text.utf8.count): text
        case .number: value.json
        default: nil
        }
    }

    /// The frame as it is sent.
    package var json: String {
        let parts: [Payload] =
            switch self {
            case .call(let id, let action, let payload): [2, .text(id), .text(action), payload]
            case .result(let id, let payload): [3, .text(id), payload]
            case .refusal(let id, let error): [4, .text(id), .text(error.code.rawValue), .text(error.text), .empty]
            }
        return Payload.list(parts).json
    }
}
