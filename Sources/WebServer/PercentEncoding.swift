/// Decoding of percent-encoded text (RFC 3986, section 2.1).
enum PercentEncoding {
    /// The decoded text, or nil for a broken escape, a NUL byte or bytes that are not UTF-8.
    /// - Parameter plusIsSpace: whether `+` means a space, as in a query.
    static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexDigit), let low = rest.next().flatMap(hexDigit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            default:
                bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The items of a query (`a=1&b=2`), or nil if one of them does not decode.
    static func queryItems(_ query: some Collection<UInt8>) -> [HTTPRequest.QueryItem]? {
        var items: [HTTPRequest.QueryItem] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(halves[0], plusIsSpace: true) else { return nil }
            guard halves.count > 1 else {
                items.append(HTTPRequest.QueryItem(name: name, value: ""))
                continue
            }
            guard let value = decode(halves[1], plusIsSpace: true) else { return nil }
            items.append(HTTPRequest.QueryItem(name: name, value: value))
        }
        return items
    }

    /// The value of one hexadecimal digit.
    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
