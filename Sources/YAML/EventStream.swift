internal import CYAML

/// One step of the parser, with the place where it begins.
struct YAMLEvent {
    enum Kind {
        case start, end, documentStart, documentEnd
        case alias(String)
        case scalar(text: String, style: YAMLScalar.Style)
        case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }

    let kind: Kind
    let anchor: String?
    let tag: String?
    let mark: YAMLMark
}

/// Owns a libyaml parser over bytes that must outlive it.
struct EventStream: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let source: YAMLSource
    private let shift: Int
    /// Where the brackets stand that are open so far.
    private var openBrackets: [YAMLMark] = []

    /// Opens a parser on `input`, which holds the bytes of `source` or a part of them.
    /// - Parameter shift: what to add to a place in `input` to get the place in `source`, in bytes.
    /// - Throws: if there is no memory for the parser.
    init(_ input: UnsafeBufferPointer<UInt8>, source: YAMLSource, shift: Int = 0) throws(YAMLError) {
        // On the heap, because the parser keeps a pointer to itself.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw source.error(at: YAMLMark(line: 1, column: 1), "out of memory", hint: nil)
        }
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        self.parser = parser
        self.source = source
        self.shift = shift
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event.
    /// - Throws: what libyaml found wrong. Do not call again after that.
    mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
        defer { yaml_event_delete(&event) }
        follow(event)
        return Self.translate(event)
    }

    private mutating func follow(_ event: yaml_event_t) {
        switch event.type {
        case YAML_SEQUENCE_START_EVENT where event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
            YAML_MAPPING_START_EVENT where event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE:
            openBrackets.append(Self.mark(event.start_mark))
        case YAML_SEQUENCE_END_EVENT where event.end_mark.index > event.start_mark.index,
            YAML_MAPPING_END_EVENT where event.end_mark.index > event.start_mark.index:
            // Only the end of a flow collection is a character.
            _ = openBrackets.popLast()
        default: break
        }
    }

    private static func translate(_ event: yaml_event_t) -> YAMLEvent {
        let mark = mark(event.start_mark)
        func plain(_ kind: YAMLEvent.Kind, anchor: UnsafePointer<UInt8>? = nil, tag: UnsafePointer<UInt8>? = nil)
            -> YAMLEvent
        {
            YAMLEvent(kind: kind, anchor: string(anchor), tag: string(tag), mark: mark)
        }
        switch event.type {
        case YAML_STREAM_END_EVENT: return plain(.end)
        case YAML_DOCUMENT_START_EVENT: return plain(.documentStart)
        case YAML_DOCUMENT_END_EVENT: return plain(.documentEnd)
        case YAML_ALIAS_EVENT: return plain(.alias(string(event.data.alias.anchor) ?? ""))
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return plain(.scalar(text: text, style: style(scalar.style)), anchor: scalar.anchor, tag: scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return plain(.sequenceStart, anchor: start.anchor, tag: start.tag)
        case YAML_SEQUENCE_END_EVENT: return plain(.sequenceEnd)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return plain(.mappingStart, anchor: start.anchor, tag: start.tag)
        case YAML_MAPPING_END_EVENT: return plain(.mappingEnd)
        default: return plain(.start)
        }
    }

    private static func string(_ text: UnsafePointer<UInt8>?) -> String? {
        text.map { String(cString: $0) }
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
        YAMLMark(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    private static func style(_ style: yaml_scalar_style_t) -> YAMLScalar.Style {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE: .literal
        case YAML_FOLDED_SCALAR_STYLE: .folded
        default: .plain
        }
    }

    private func problem() -> YAMLError {
        let state = parser.pointee
        let what = state.problem.map { String(cString: $0) } ?? "the text cannot be read"
        guard state.error != YAML_READER_ERROR else {
            let mark = source.mark(atByte: Int(state.problem_offset) + shift)
            return source.error(
                at: mark, what, hint: "remove this character, or write it as an escape in double quotes")
        }
        let mark = Self.mark(state.problem_mark)
        let begin = Self.mark(state.context_mark)
        if SyntaxAdvice.isTab(what, at: mark, in: source) {
            return source.error(
                at: mark, "this line is indented with a tab", hint: SyntaxAdvice.hint(for: what, at: mark, in: source))
        }
        if let error = unclosed(what, at: mark, since: begin) { return error }
        let since = begin.line < mark.line ? " that begins on line \(begin.line)" : ""
        let context = state.context.map { " \(String(cString: $0))\(since)" } ?? ""
        return source.error(at: mark, what + context, hint: SyntaxAdvice.hint(for: what, at: mark, in: source))
    }

    /// What is open to the end is best shown where it opens: the end may be far from it.
    private func unclosed(_ what: String, at mark: YAMLMark, since begin: YAMLMark) -> YAMLError? {
        if what.contains("unexpected end of stream") || what.contains("unexpected document indicator") {
            return source.error(at: begin, "the quote that opens here is not closed", hint: "close the quotes")
        }
        guard let bracket = openBrackets.last(where: { "[{".contains(source.character(at: $0) ?? " ") }),
            mark.line > bracket.line,
            what.contains("expected ','") || what.contains("node content") || what.contains("expected ':'")
        else { return nil }
        let opening = source.character(at: bracket) ?? "["
        return source.error(
            at: bracket, "the '\(opening)' that opens here is not closed",
            hint: "close it with '\(opening == "{" ? "}" : "]")', or put a comma between its values")
    }
}
