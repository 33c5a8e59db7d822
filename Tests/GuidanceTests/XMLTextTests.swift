import Foundation
import Guidance
import Testing

/// Bytes that are no XML a provider sends: each is refused, and none ends the program (G-8).
@Suite struct XMLTextTests {
    /// A document of ENTSO-E with one quarter of an hour; a part of it can be another.
    private static func document(_ change: (inout [UInt8]) -> Void = { _ in }) -> Data {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- caf\u{E9} --><Publication_MarketDocument xmlns='urn:x'><TimeSeries><out_Domain.mRID codingScheme="A01">10YBE</out_Domain.mRID>
            <currency_Unit.name>EUR</currency_Unit.name><curveType>A03</curveType><Period><timeInterval>
            <start>2026-01-05T00:00Z</start><end>2026-01-05T00:15Z</end></timeInterval><resolution>PT15M</resolution>
            <Point><position>1</position><price.amount>100</price.amount></Point></Period></TimeSeries></Publication_MarketDocument>
            """
        var bytes = Array(text.utf8)
        change(&bytes)
        return Data(bytes)
    }

    private static func decode(_ bytes: Data) throws(PayloadError) -> EnergySeries {
        try EntsoeDecoder().series(from: bytes)
    }

    @Test func theDocumentItselfIsRead() throws {
        #expect(try Self.decode(Self.document()).slots.map(\.value) == [0.1])
    }

    static let foreign: [[UInt8]] = [
        [0xCA], [0xFC], [0xE9, 0x20], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        [0x00], [0x01], [0x1B], [0x0C],
    ]
    /// Where they may stand: `?` is the place.
    static let places = [
        "<?/>", "<a?>x</a?>", "<a ?='1'/>", "<a b='?'/>", "<a>?</a>", "<!--?--><a/>", "<??><a/>", "<?p ??><a/>",
        "<a><![CDATA[?]]></a>", "<a>x</?>", "?", "<a/>?", "<?:a xmlns:?='u'/>", "<a xmlns='?'/>",
    ]

    @Test(arguments: places, foreign)
    func bytesThatAreNoTextAreRefusedWhereverTheyStand(place: String, bytes: [UInt8]) {
        let document = Data(place.utf8.flatMap { $0 == UInt8(ascii: "?") ? bytes : [$0] })
        for source in ["entsoe", "rte-eco2mix"] {
            let error = #expect(throws: PayloadError.self) {
                try PayloadDecoders.named(source).series(from: document)
            }
            #expect(error?.kind == .malformed || error?.kind == .guidanceUnavailable && bytes == [0x0C])
        }
    }

    static let encodings: [(String, [UInt8], Bool)] = [
        ("ISO-8859-1", [0xE9], true), ("iso-8859-1", [0xE9], true), ("US-ASCII", [0xE9], false),
        ("US-ASCII", [0x65], true), ("utf-8", [0xC3, 0xA9], true), ("UTF-8", [0xE9], false),
        ("windows-1252", [0x80], false), ("UTF-16", [0x65], false), ("no such", [0x65], false),
    ]

    @Test(arguments: encodings)
    func whatADocumentSaysOfItsEncodingHolds(encoding: String, letter: [UInt8], isRead: Bool) {
        let document = Self.document { bytes in
            let text = String(decoding: bytes, as: UTF8.self).replacing("UTF-8", with: encoding)
            let parts = text.split(separator: "\u{E9}").map { Array($0.utf8) }
            bytes = parts[0] + letter + parts[1]
        }
        let series = try? Self.decode(document)
        #expect((series?.slots.map(\.value) == [0.1]) == isRead)
    }

    @Test func textInTwoBytesALetterIsRefused() throws {
        let text = String(decoding: Self.document(), as: UTF8.self)
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
            let bytes = try #require(text.data(using: encoding))
            #expect(throws: PayloadError.self) { try Self.decode(bytes) }
        }
    }

    @Test(
        arguments: ["entsoe", "rte-eco2mix"],
        [
            "<!DOCTYPE html><html><body>Log in</body></html>", "<html><body>Log in</body></html>", "<HTML></HTML>",
            "\n <!doctype HTML>\n<p>closed", "<?xml version='1.0'?><x:html xmlns:x='h'/>",
            "<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;&b;'>]><a>&c;</a>", "<a><a><a>", "<a></b>", "&#0;",
            "<a>&#0;</a>",
            "<a>&#xFFFF;</a>", "<?xml", "<?xml encoding=UTF-8?><a/>", "<?xml version='1.0' encoding='",
        ])
    func aPageOfHTMLOrHalfADocumentIsNoSeriesThatIsNotThereYet(source: String, text: String) {
        #expect(failure(source, text)?.kind == .malformed)
    }

    /// Texts longer than the parser's own pieces, with letters of several bytes on every edge of a piece.
    @Test(arguments: [1, 2, 3])
    func longTextsOfLettersOfSeveralBytesAreRead(shift: Int) throws {
        let long = String(repeating: "x", count: shift) + String(repeating: "\u{20AC}", count: 100_000)
        let document = Self.document { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
                .replacing("caf\u{E9}", with: long).replacing("codingScheme=\"A01\"", with: "codingScheme=\"\(long)\"")
                .replacing("<TimeSeries>", with: "<note>\(long)</note><TimeSeries>")
            bytes = Array(text.utf8)
        }
        #expect(try Self.decode(document).slots.map(\.value) == [0.1])
    }

    /// Whatever a document is made into, it is read or refused.
    @Test(arguments: 0..<8)
    func noChangeOfADocumentEndsTheProgram(seed: Int) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<150 {
            let document = Self.document { bytes in
                for _ in 0...Int.random(in: 0...3, using: &numbers) {
                    let place = Int.random(in: bytes.indices, using: &numbers)
                    switch Int.random(in: 0...2, using: &numbers) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
                    case 1:
                        bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &numbers)))
                    default:
                        bytes.insert(
                            contentsOf: bytes[place...].prefix(60), at: Int.random(in: bytes.indices, using: &numbers))
                    }
                    if bytes.isEmpty { bytes = [0x20] }
                }
            }
            do throws(PayloadError) {
                #expect(!(try Self.decode(document)).slots.isEmpty)
            } catch {
                #expect(!error.what.isEmpty)
            }
        }
    }
}
