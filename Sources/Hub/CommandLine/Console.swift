import Foundation
import Synchronization

/// What the program says: answers to standard output, everything else to standard error.
enum Console {
    private static let readerIsGone = Atomic(false)

    /// Whether nobody reads the answer any more, as when `head` has had enough.
    static var isAbandoned: Bool {
        if readerIsGone.load(ordering: .relaxed) { return true }
        // A pipe without a reader is in error also while nothing is written.
        var state = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR) != 0
    }

    /// A line of the answer.
    static func out(_ text: String) {
        if !write(text, to: STDOUT_FILENO) { readerIsGone.store(true, ordering: .relaxed) }
    }

    /// A line about what went wrong or goes on.
    static func error(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    /// Writes a line, and lets it go where it can't be written.
    /// - Returns: whether it was written.
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        let bytes = Array((text + "\n").utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
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

    init(_ headings: [String], _ rows: [[String]]) { self.rows = [headings] + rows }

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
