/// The usual phrases of status codes (RFC 9110, section 15).
enum HTTPStatus {
    /// The phrase for a code, or the name of its class.
    static func phrase(_ status: Int) -> String {
        phrases[status] ?? classes[status / 100] ?? "Unknown"
    }

    /// What programs know a status by, where nothing says more.
    static func code(_ status: Int) -> String {
        codes[status] ?? (status < 500 ? "badRequest" : "internal")
    }

    private static let codes = [
        401: "permissionDenied", 403: "permissionDenied", 404: "notFound", 405: "method", 408: "requestTimeout",
        413: "bodyTooLarge", 414: "addressTooLong", 417: "expectation", 426: "upgradeRequired", 431: "headTooLarge",
        501: "notImplemented", 503: "serviceUnavailable", 505: "version",
    ]

    /// How to mend a fault that nothing more is known about.
    static func remedy(_ status: Int) -> String {
        remedies[status] ?? (status < 500 ? "the request can't be answered" : "the server could not answer; try again")
    }

    private static let remedies = [
        400: "the request can't be read; send it as HTTP/1.1 has it (RFC 9112)",
        401: "this needs a credential", 403: "this is not allowed", 404: "there is nothing at this address",
        405: "this method is not known here; the header Allow lists those that are",
        503: "the server can't answer now; try again",
    ]

    private static let classes = [
        1: "Informational", 2: "Success", 3: "Redirection", 4: "Client Error", 5: "Server Error",
    ]

    private static let phrases = [
        100: "Continue", 101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
        206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 417: "Expectation Failed", 422: "Unprocessable Content",
        426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}
