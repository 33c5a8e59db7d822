import Testing
import WebClient

@Suite struct EventParserTests {
    private static let text = """
        \u{FEFF}: hello
        event: reading
        id: 1
        data: {"a":1}

        data:x
        data:  y
        data

        retry: 5
        unknown: 1
        event: lost

        id
        data: ü

        data: never ends
        """
    private static let expected = [
        WebEvent(name: "reading", data: "{\"a\":1}", id: "1"), WebEvent(data: "x\n y\n", id: "1"),
        WebEvent(data: "ü", id: nil),
    ]

    @Test(arguments: ["\n", "\r", "\r\n"])
    func readsEventsHoweverTheyAreCut(lineEnd: String) throws {
        let bytes = Array(
            Self.text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: lineEnd).utf8)
        for size in 1...bytes.count {
            var parser = WebEventParser()
            var events: [WebEvent] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                events += try parser.take(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(events == Self.expected, "pieces of \(size)")
        }
    }

    @Test(arguments: [
        "data: 0123456789\n", "data: 01\ndata: 23\ndata: 45\n", "0123456789012345", "x: 0123456789012345\n",
    ])
    func refusesAnEventWithoutEnd(text: String) throws {
        var parser = WebEventParser(maximumBytes: 15)
        #expect(throws: WebClientError.bodyTooLarge(limit: 15)) { try parser.take(Array(text.utf8)) }
    }

    @Test func commentsAndEventsOfAnyNumberAreNotTooLong() throws {
        var parser = WebEventParser(maximumBytes: 15)
        var count = 0
        for _ in 0..<100 {
            count += try parser.take(Array(": heartbeat\n\ndata: 1\n\n".utf8)).count
            count += try parser.take(Array(": heartbeat\n".utf8)).count
        }
        #expect(count == 100)
    }

    @Test func takesAnyBytes() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let alphabet: [UInt8] = [0, 10, 13, 32, 58, 100, 97, 116, 0xC3, 0xFF]
            let bytes = (0..<300).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            var whole = WebEventParser()
            var cut = WebEventParser()
            let events = try whole.take(bytes)
            #expect(try bytes.flatMap { try cut.take([$0]) } == events)
        }
    }
}
