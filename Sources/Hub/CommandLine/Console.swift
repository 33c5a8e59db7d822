import Foundation
import Synchronization

/// What the program says: answers to standard output, everything else to standard error.
enum Console {
    /// What the system said when the answer could not be written; 0 where nothing failed.
    private static let outputError = Atomic<Int32>(0)

    /// Whether the answer reaches nobody any more: its reader is gone, as when `head` has had enough, or it can't be
    /// written.
    static var isAbandoned: Bool {
        if isIncomplete { return true }
        // A pipe without a reader is in error also while nothing is written.
        var state = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR) != 0
    }

    /// A line of the answer; after one that could not be written, none is.
    static func out(_ text: String) {
        guard !isIncomplete else { return }
        let code = write(text, to: STDOUT_FILENO)
        if code != 0 { outputError.store(code, ordering: .relaxed) }
    }

    /// Whether a part of the answer could not be written.
    static var isIncomplete: Bool { outputError.load(ordering: .relaxed) != 0 }

    /// Why the answer was lost, in words; nil where it was written, or its reader went away by itself.
    static var lostAnswer: String? {
        var code = outputError.load(ordering: .relaxed)
        // Some file systems say only when a file is closed that it did not fit.
        if code == 0 {
            let copy = dup(STDOUT_FILENO)
            if copy >= 0, close(copy) != 0 { code = errno }
        }
        return code == 0 || code == EPIPE ? nil : String(cString: strerror(code))
    }

    /// A line about what went wrong or goes on.
    static func error(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    /// Writes a line, and lets it go where it can't be written.
    /// - Returns: 0, or the system's number for what failed.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        let bytes = Array((text + "\n").utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            start += count
        }
        return 0
    }

    /// A value as JSON with sorted keys.
    static func json(_ value: some Encodable, with encoder: JSONEncoder) throws {
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        out(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Rows under headings, in columns as wide as they need to be; on a terminal no wider than that, where the widest
    /// column goes over several lines instead.
    static func table(_ headings: [String], _ rows: [[String]]) {
        for line in TextTable(headings, rows).lines(width: terminalWidth) { out(line) }
    }

    /// The width of the terminal in characters, or nil where the answer goes elsewhere.
    private static var terminalWidth: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return TextWrap.usualWidth }
        return Int(size.ws_col)
    }
}

/// Rows under headings.
struct TextTable {
    private let rows: [[String]]

    init(_ headings: [String], _ rows: [[String]]) {
        self.rows = [headings] + rows.map { $0.map(TextTable.printable) }
    }

    /// A text in which control and format characters stand as `\u{…}`: what others wrote must not steer a terminal.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnseen) else { return text }
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            if isUnseen(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // A joiner belongs into emoji and into several scripts.
        case .format: scalar.value != 0x200D && scalar.value != 0x200C
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }

    private static let gap = "  "

    /// The table's lines.
    /// - Parameter width: how wide a line may be; nil for no limit, and one line for each row.
    func lines(width limit: Int?) -> [String] {
        var widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let total = widths.reduce(0, +) + (widths.count - 1) * Self.gap.count
        if let limit, total > limit, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) {
            widths[widest] = max(widths[widest] - (total - limit), 12)
        }
        return rows.flatMap { row in
            let cells = zip(row, widths).map { $0.count > $1 ? TextWrap.lines($0, width: $1) : [$0] }
            let height = cells.map(\.count).max() ?? 0
            return (0..<height).map { line in Self.line(cells.map { line < $0.count ? $0[line] : "" }, widths) }
        }
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        var text = padded.joined(separator: gap)[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
