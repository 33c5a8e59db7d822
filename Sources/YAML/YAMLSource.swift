/// The bytes of one file with the start of every line, to quote a line in an error.
final class YAMLSource: Sendable {
    let file: String
    let bytes: [UInt8]
    private let lineStarts: [Int]

    /// Takes the bytes without their byte order mark.
    init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        lineStarts = Self.lineStarts(in: self.bytes)
    }

    /// Counts lines as libyaml does: LF, CR, CR LF, NEL, LS and PS each end one.
    private static func lineStarts(in bytes: [UInt8]) -> [Int] {
        var starts = [0]
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x0A: starts.append(index + 1)
            case 0x0D where index + 1 >= bytes.count || bytes[index + 1] != 0x0A: starts.append(index + 1)
            case 0x85 where index >= 1 && bytes[index - 1] == 0xC2: starts.append(index + 1)
            case 0xA8, 0xA9:
                if index >= 2, bytes[index - 1] == 0x80, bytes[index - 2] == 0xE2 { starts.append(index + 1) }
            default: break
            }
        }
        return starts
    }

    /// The place of the byte at `offset`.
    func mark(atByte offset: Int) -> YAMLMark {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let before = bytes[lineStarts[low]..<offset]
        let continuations = before.count { $0 & 0xC0 == 0x80 }
        return YAMLMark(line: low + 1, column: before.count - continuations + 1)
    }

    /// The bytes of every line, its end included.
    var lines: [Range<Int>] {
        zip(lineStarts, lineStarts.dropFirst() + [bytes.count]).map { $0..<max($0, $1) }
    }

    /// The character at a place.
    func character(at mark: YAMLMark) -> Character? {
        guard let scalars = text(ofLine: mark.line)?.unicodeScalars, mark.column >= 1 else { return nil }
        return scalars.dropFirst(mark.column - 1).first.map { Character($0) }
    }

    /// The text of a line without its end, or nil if there is no such line.
    func text(ofLine line: Int) -> String? {
        guard line >= 1, line <= lineStarts.count else { return nil }
        let end = line < lineStarts.count ? lineStarts[line] : bytes.count
        let text = String(decoding: bytes[lineStarts[line - 1]..<end], as: UTF8.self)
        let shown = text.unicodeScalars.prefix { !Self.lineEnds.contains($0) }
        return String(String.UnicodeScalarView(shown))
    }

    private static let lineEnds: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

    /// The line at `mark` and a caret under the column; a long line is cut around the column.
    func excerpt(at mark: YAMLMark) -> String? {
        guard let text = text(ofLine: mark.line) else { return nil }
        let scalars = Array(text.unicodeScalars).map { $0.value < 0x20 && $0 != "\t" ? "\u{FFFD}" : $0 }
        let column = min(max(mark.column - 1, 0), scalars.count)
        let start = max(0, column - 60)
        let end = min(scalars.count, start + 120)
        let shown = String(String.UnicodeScalarView(scalars[start..<end]))
        let padding = scalars[start..<column].map { $0 == "\t" ? "\t" : " " }.joined()
        return "\(shown)\n\(padding)^"
    }

    /// An error at `mark`.
    func error(at mark: YAMLMark, path: String = "", _ message: String, hint: String?) -> YAMLError {
        YAMLError(
            file: file, line: mark.line, column: mark.column, path: path, message: message, hint: hint,
            excerpt: excerpt(at: mark))
    }
}
