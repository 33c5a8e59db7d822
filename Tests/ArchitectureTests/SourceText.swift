/// Swift source with comments and the text of strings blanked out, line by line.
///
/// Code inside an interpolation counts as code.
struct SourceText {
    struct Line {
        /// What the compiler sees, with string contents left out.
        var code = ""
        /// Whether some comment is on the line.
        var hasComment = false
    }

    private(set) var lines: [Line] = []

    private enum Mode {
        /// The number of open parentheses; an interpolation ends below 0.
        case code(depth: Int)
        case lineComment
        case blockComment(depth: Int)
        case string(hashes: Int, isMultiline: Bool)
    }

    private var modes: [Mode] = [.code(depth: 0)]
    private let bytes: [UInt8]
    private var index = 0
    private var code: [UInt8] = []
    private var hasComment = false

    init(_ text: String) {
        bytes = Array(text.utf8)
        while index < bytes.count { step() }
        endLine()
    }

    private func sees(_ text: StaticString, at offset: Int = 0) -> Bool {
        let start = index + offset
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        for position in 0..<text.utf8CodeUnitCount where bytes[start + position] != text.utf8Start[position] {
            return false
        }
        return true
    }

    private func hashes(at start: Int) -> Int {
        bytes[start...].prefix { $0 == UInt8(ascii: "#") }.count
    }

    private mutating func endLine() {
        lines.append(Line(code: String(decoding: code, as: UTF8.self), hasComment: hasComment))
        code = []
        if case .blockComment = modes.last { hasComment = true } else { hasComment = false }
    }

    private mutating func step() {
        if bytes[index] == UInt8(ascii: "\n") {
            // Neither a line comment nor an ordinary string goes on: the second is a mistake, or a regular expression.
            switch modes.last {
            case .lineComment, .string(_, false): if modes.count > 1 { modes.removeLast() }
            default: break
            }
            endLine()
            index += 1
            return
        }
        switch modes.last ?? .code(depth: 0) {
        case .code(let depth): stepInCode(depth)
        case .lineComment: index += 1
        case .blockComment(let depth): stepInBlockComment(depth)
        case .string(let hashes, let isMultiline): stepInString(hashes, isMultiline)
        }
    }

    private mutating func stepInCode(_ depth: Int) {
        if sees("//") || sees("/*") {
            modes.append(sees("//") ? .lineComment : .blockComment(depth: 1))
            hasComment = true
            index += 2
            return
        }
        let hashes = hashes(at: index)
        if index + hashes < bytes.count, bytes[index + hashes] == UInt8(ascii: "\"") {
            let isMultiline = sees("\"\"\"", at: hashes)
            modes.append(.string(hashes: hashes, isMultiline: isMultiline))
            code.append(UInt8(ascii: "\""))
            index += hashes + (isMultiline ? 3 : 1)
            return
        }
        switch bytes[index] {
        case UInt8(ascii: "("): modes[modes.count - 1] = .code(depth: depth + 1)
        case UInt8(ascii: ")") where depth == 0 && modes.count > 1: modes.removeLast()
        case UInt8(ascii: ")"): modes[modes.count - 1] = .code(depth: depth - 1)
        default: break
        }
        code.append(bytes[index])
        index += 1
    }

    private mutating func stepInBlockComment(_ depth: Int) {
        if sees("/*") {
            modes[modes.count - 1] = .blockComment(depth: depth + 1)
            index += 2
        } else if sees("*/") {
            if depth == 1 { modes.removeLast() } else { modes[modes.count - 1] = .blockComment(depth: depth - 1) }
            index += 2
        } else {
            index += 1
        }
    }

    private mutating func stepInString(_ count: Int, _ isMultiline: Bool) {
        if bytes[index] == UInt8(ascii: "\\"), hashes(at: index + 1) >= count {
            let next = index + 1 + count
            if next < bytes.count, bytes[next] == UInt8(ascii: "(") {
                code.append(UInt8(ascii: "("))
                modes.append(.code(depth: 0))
                index = next + 1
            } else if next < bytes.count, bytes[next] == UInt8(ascii: "\n") {
                index = next
            } else {
                index = next + 1
            }
        } else if isMultiline ? sees("\"\"\"") : sees("\"") {
            let width = isMultiline ? 3 : 1
            guard index + width <= bytes.count, hashes(at: index + width) >= count else {
                index += 1
                return
            }
            code.append(UInt8(ascii: "\""))
            modes.removeLast()
            index += width + count
        } else {
            index += 1
        }
    }
}
