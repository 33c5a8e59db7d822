/// Faults as RFC 9457 has them: `application/problem+json`.
extension HTTPResponse {
    /// A fault with a code for programs and a sentence for people.
    /// - Parameters:
    ///   - status: the status code, 400 to 599.
    ///   - code: what programs tell faults apart by.
    ///   - detail: what is wrong and how to mend it.
    ///   - retryAfter: seconds after which trying again makes sense; nil where it makes none.
    ///   - headers: further header fields.
    package static func problem(
        _ status: Int, code: String, detail: String, retryAfter: Int? = nil, headers: [(String, String)] = []
    ) -> HTTPResponse {
        let members = [
            "\"type\":\"about:blank\"", "\"title\":\(quoted(HTTPStatus.phrase(status)))", "\"status\":\(status)",
            "\"code\":\(quoted(code))", "\"detail\":\(quoted(detail))",
        ]
        let wait = retryAfter.map { [("Retry-After", String($0))] } ?? []
        return .bytes(
            Array("{\(members.joined(separator: ","))}".utf8), contentType: "application/problem+json", status: status,
            headers: wait + headers)
    }

    /// The text as a JSON string (RFC 8259, section 7).
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension RequestRefusal {
    /// The answer to the request.
    var response: HTTPResponse {
        .problem(status, code: HTTPStatus.code(status), detail: detail, retryAfter: status == 503 ? 10 : nil)
    }
}
