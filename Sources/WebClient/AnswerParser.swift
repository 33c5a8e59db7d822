/// Collects header lines as the library hands them over, one call each.
struct AnswerParser {
    /// More than any honest server sends.
    private static let maximumBytes = 256 << 10

    /// Whether a first 401 may be the library's own question for a digest, which it answers with another request.
    let expectsChallenge: Bool
    private var head: WebAnswerHead?
    private var challenge: WebAnswerHead?
    private var bytes = 0
    /// The head of the final answer, once it is complete.
    private(set) var finished: WebAnswerHead?

    init(expectsChallenge: Bool = false) { self.expectsChallenge = expectsChallenge }

    /// The transfer is over: a challenge that was not answered is the answer.
    mutating func end() { finished = finished ?? challenge }

    /// Takes one line with its line end.
    /// - Throws: `WebClientError.malformedAnswer`.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(WebClientError) {
        bytes += line.count
        guard bytes <= Self.maximumBytes else { throw .malformedAnswer("more than 256 kB of header fields") }
        // What comes after the head are trailers of a chunked body.
        guard finished == nil else { return }
        let text = Self.trimmed(String(decoding: line, as: UTF8.self)[...])
        if text.hasPrefix("HTTP/") {
            try begin(text)
        } else if text.isEmpty {
            guard let head, head.status >= 200 else { return }
            if expectsChallenge, challenge == nil, head.status == 401 {
                challenge = head
                return
            }
            finished = head
        } else if let colon = text.firstIndex(of: ":") {
            head?.headers.append(
                String(text[..<colon]), Self.trimmed(text[text.index(after: colon)...]))
        }
    }

    private mutating func begin(_ line: String) throws(WebClientError) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let status = Int(words[1]), (100...999).contains(status) else {
            throw .malformedAnswer("no status")
        }
        head = WebAnswerHead(status: status, headers: [:])
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text.drop(while: \.isWhitespace))
    }
}
