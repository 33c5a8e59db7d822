/// The names under which Home Assistant knows this hub's devices.
enum HomeAssistantTopics {
    /// The stable name of a device or home: what the base topic and its identifier give, in the characters that
    /// Home Assistant takes.
    static func object(_ id: String, base: String) -> String {
        let name = base.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" }
        return "\(String(name))_\(id)"
    }

    /// Where a device is announced.
    static func config(_ object: String, prefix: String) -> String { "\(prefix)/device/\(object)/config" }
}
