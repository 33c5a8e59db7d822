/// The drivers of a hub, registered at start-up by name.
public struct DriverRegistry: Sendable {
    private var drivers: [String: any DeviceDriver] = [:]

    /// An empty registry.
    public init() {}

    /// Adds a driver.
    /// - Throws: `HubError` when the name is taken or is not a name.
    public mutating func register(_ driver: any DeviceDriver) throws(HubError) {
        let allowed = driver.name.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
        }
        guard allowed, !driver.name.isEmpty else {
            throw HubError(.configuration, "a driver's name is made of a-z, 0-9 and '-'; '\(driver.name)' is not")
        }
        guard drivers[driver.name] == nil else {
            throw HubError(.configuration, "two drivers are called '\(driver.name)'; rename one of them")
        }
        drivers[driver.name] = driver
    }

    /// The driver of this name.
    public subscript(name: String) -> (any DeviceDriver)? { drivers[name] }

    /// All drivers, by name.
    public var all: [any DeviceDriver] { drivers.values.sorted { $0.name < $1.name } }
}
