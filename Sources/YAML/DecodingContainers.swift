/// A key made of a position or a name.
struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// A mapping as a keyed container.
struct MappingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NodeDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { decoder.node.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool {
        decoder.log.ask(key.stringValue, of: decoder.node)
        return decoder.node[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).node.isNull }

    // One generic method stands for the fourteen of the protocol: each type's `init(from:)` asks the right question.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try child(key).value(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try child(named: PlainKey(stringValue: "super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

    private func child(_ key: Key) throws(YAMLError) -> NodeDecoder { try child(named: key) }

    private func child(named key: any CodingKey) throws(YAMLError) -> NodeDecoder {
        let name = key.stringValue
        decoder.log.ask(name, of: decoder.node)
        if let value = decoder.node[name] { return decoder.below(value, key) }
        let meant = NearestWord.match(name, among: decoder.log.unasked(of: decoder.node))
        throw decoder.node.error(
            "missing key '\(name)'", hint: meant.map { "is '\($0)' meant?" } ?? "add a line '\(name): …'")
    }
}

/// A sequence as an unkeyed container.
struct SequenceContainer: UnkeyedDecodingContainer {
    let decoder: NodeDecoder
    let elements: [YAMLNode]
    private(set) var currentIndex = 0

    init(decoder: NodeDecoder, elements: [YAMLNode]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try current().node.isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try current().value(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try current().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try current().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try current()
        currentIndex += 1
        return decoder
    }

    private func current() throws(YAMLError) -> NodeDecoder {
        guard !isAtEnd else {
            throw decoder.node.error("the list ends after \(elements.count) elements", hint: "add what is missing")
        }
        return decoder.below(elements[currentIndex], PlainKey(intValue: currentIndex))
    }
}

/// A scalar as a single value container.
struct ScalarContainer: SingleValueDecodingContainer {
    let decoder: NodeDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    private var node: YAMLNode { decoder.node }

    func decodeNil() -> Bool { node.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try node.boolean() }
    func decode(_ type: String.Type) throws -> String { try node.text() }
    func decode(_ type: Double.Type) throws -> Double { try node.number() }

    func decode(_ type: Float.Type) throws -> Float {
        let value = try node.number()
        let narrow = Float(value)
        guard narrow.isFinite || !value.isFinite else { throw node.error("\(value) is out of range", hint: nil) }
        return narrow
    }

    func decode(_ type: Int.Type) throws -> Int { try node.integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try node.integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try node.integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try node.integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try node.integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try node.integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try node.integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try node.integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try node.integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try node.integer(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
}
