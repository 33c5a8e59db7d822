import Foundation
import Testing

@testable import HubKit

/// Text from outside in a line for people.
@Suite struct ForeignTextTests {
    @Test(
        "what a terminal would obey or hide is written as an escape",
        arguments: [
            ("\u{1B}[2J\u{7}", #"\u{1b}[2J\u{7}"#), ("a\r\nb", #"a\u{d}\u{a}b"#), ("\u{9B}31m", #"\u{9b}31m"#),
            ("\u{202E}abc\u{2066}", #"\u{202e}abc\u{2066}"#), ("x\u{0}y\u{7F}", #"x\u{0}y\u{7f}"#),
            ("\u{2028}\u{200B}\u{FEFF}", #"\u{2028}\u{200b}\u{feff}"#), ("Grüße, 21 °C ⏎ 🙂", "Grüße, 21 °C ⏎ 🙂"),
        ])
    func escapes(text: String, line: String) {
        #expect(text.shown(100) == line)
    }

    @Test("what is too long is cut, also where many marks make one character")
    func cuts() {
        #expect(String(repeating: "x", count: 5000).shown(10) == "xxxxxxxxxx…")
        #expect("xxxxxxxxxx".shown(10) == "xxxxxxxxxx")
        #expect(("a" + String(repeating: "\u{301}", count: 5000)).shown(50).unicodeScalars.count == 51)
        #expect("".shown(10) == "")
    }
}
