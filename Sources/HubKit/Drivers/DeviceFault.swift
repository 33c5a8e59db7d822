/// What is wrong with one value of a device's configuration, and how to mend it.
public struct DeviceFault: Sendable, Equatable, CustomStringConvertible {
    /// The way from the device to the value as the configuration writes it, such as `connection.host`; empty for the
    /// device as a whole.
    public var key: String
    /// What is wrong.
    public var what: String
    /// How to mend it.
    public var remedy: String

    /// Describes a fault.
    public init(_ key: String = "", _ what: String, remedy: String) {
        self.key = key
        self.what = what
        self.remedy = remedy
    }

    /// What is wrong; how to mend it.
    public var description: String { remedy.isEmpty ? what : "\(what); \(remedy)" }
}

extension DeviceDriver {
    /// Without a check of its own, a driver's word is what `makeDevice` says: one fault, of the device as a whole.
    public func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault] {
        do {
            _ = try makeDevice(configuration, in: context)
            return []
        } catch let error as HubError {
            return [DeviceFault("", error.message, remedy: "")]
        } catch {
            return [DeviceFault("", plainWords(of: error), remedy: "")]
        }
    }
}

extension [DeviceFault] {
    /// Refuses a device that has faults, with the first of them.
    /// - Throws: `HubError` that names the device.
    public func refuse(_ id: DeviceID) throws(HubError) {
        guard let first else { return }
        throw HubError(.configuration, "\(id): \(first)")
    }
}
