/// A value of a profile that comes in a message or an answer instead of a register.
public struct FieldPoint: Sendable, Equatable {
    /// Everything but the place; its type tells only whether it is a text.
    public var template: ProfilePoint
    /// The message or request that brings it.
    public var source: String
    /// The path to it in JSON; absent where the whole payload is the value.
    public var path: String?
    /// What the device's words and codes mean; any other is not available.
    public var codes: [String: PointValue] = [:]
    /// What the device sends when it does not know.
    public var unavailable: Set<String> = []
    /// Whether a device that leaves it out is none the worse.
    public var isOptional = false

    /// Makes a value.
    public init(template: ProfilePoint, source: String, path: String? = nil) {
        self.template = template
        self.source = source
        self.path = path
    }
}
