package import HubKit

/// What carries the points and commands of one device: registers, messages or requests.
package protocol ProfileWire: Sendable {
    /// What it can read, with the meaning of each value; a SunSpec device tells that itself.
    func points() async -> [ProfilePoint]

    /// Reads everything that is not computed.
    /// - Throws: why the device gives nothing at all.
    func read() async throws -> ProfileSession.Values

    /// Reads some points again; those that it does not give now are absent.
    /// - Throws: why the device gives nothing.
    func values(of names: Set<String>) async throws -> [String: PointValue]

    /// Carries out steps in order, all or none of those whose values don't fit.
    /// - Throws: `HubError` when a value does not fit, otherwise why the device did not take it.
    func perform(_ actions: [ProfileAction], argument: Double, values: [String: PointValue]) async throws

    /// Asks for anything at all, for a watchdog that any request feeds.
    /// - Throws: why the device does not answer.
    func touch() async throws

    /// Each point with what the device really sent, and what stands behind several of them.
    func inspected(_ values: ProfileSession.Values) async -> [InspectedPoint]
}

extension ProfileWire {
    /// What a step puts in for its value; nothing where it is not known.
    func number(of value: ProfileWrite.Value, argument: Double, values: [String: PointValue]) -> Double? {
        switch value {
        case .constant(let constant): constant
        case .argument: argument
        case .point(let name): values[name]?.number
        }
    }
}
