package import Foundation
import Guidance
package import HubKit
import ProfileKit
package import YAML

/// Looks at a configuration with everything it names, as the hub does before it starts and `offpeak check` does alone.
///
/// Every stage runs, whatever the one before found: the file itself, the profiles, the drivers, the series. Each fault
/// keeps the place in the file that it comes from, and is said once: a value that is wrong in itself is not judged again.
/// Nothing is written and no device is spoken to.
package struct ConfigurationCheck {
    let file: URL
    let drivers: DriverRegistry
    let clock: any HubClock
    /// What stops the start, and warnings.
    let issues = YAMLIssues()
    /// What disables one device each.
    let deviceIssues = YAMLIssues()

    /// Checks a file.
    /// - Parameters:
    ///   - file: the configuration.
    ///   - share: where the shipped profiles are.
    ///   - environment: where `${NAME}` comes from.
    ///   - clock: the time, to see whether series are old.
    /// - Throws: `HubError` when the program itself is at fault.
    package static func run(
        _ file: URL, share: Share, environment: [String: String] = ProcessInfo.processInfo.environment,
        clock: any HubClock = SystemClock()
    ) throws(HubError) -> CheckedConfiguration {
        let shipped = ProfileLibrary(roots: [share.profiles])
        return try run(file, content: nil, shipped: shipped, environment: environment, clock: clock)
    }

    /// As the other, with profiles and perhaps the file's content at hand.
    package static func run(
        _ file: URL, content: [UInt8]?, shipped: ProfileLibrary, environment: [String: String],
        clock: any HubClock = SystemClock()
    ) throws(HubError) -> CheckedConfiguration {
        let check = ConfigurationCheck(file: file, drivers: try .standard(), clock: clock)
        let reader = ConfigurationReader(file, environment: environment, issues: check.issues)
        let configuration = content.map { reader.read(bytes: $0) } ?? reader.read()
        return check.look(at: configuration, shipped)
    }

    private func look(at configuration: HubConfiguration?, _ shipped: ProfileLibrary) -> CheckedConfiguration {
        var profiles = shipped
        guard var configuration else {
            return CheckedConfiguration(file: file, issues: issues, deviceIssues: deviceIssues, profiles: profiles)
        }
        if let folder = configuration.profileFolder { profiles.add(folder: folder) }
        checkProfiles(profiles, configuration)
        checkDevices(&configuration, profiles)
        checkAddresses(&configuration, profiles)
        for venue in configuration.venues { checkSeries(venue) }
        for source in configuration.sources { checkFile(source) }
        checkMachine()
        warn(configuration, profiles)
        return CheckedConfiguration(
            file: file, issues: issues, deviceIssues: deviceIssues, profiles: profiles, read: configuration)
    }

    /// A broken profile that nobody uses is worth a word, not a stop.
    private func checkProfiles(_ profiles: ProfileLibrary, _ configuration: HubConfiguration) {
        let used = Set(configuration.devices.compactMap(\.configuration.profile))
        for error in profiles.errors {
            let name = URL(fileURLWithPath: error.file).deletingPathExtension().lastPathComponent
            issues.add(used.contains(name) ? error : error.asWarning)
        }
    }

    private func checkMachine() {
        guard !Startup.hasTimeZoneData else { return }
        issues.add(
            YAMLError(
                file: file.path, message: "the machine has no time zone data", hint: "install the package tzdata"))
    }

    /// Adds a fault of one device, unless something is wrong with that value already.
    /// - Parameters:
    ///   - node: the place.
    ///   - key: the way from the device to the value, where that may be absent; empty for the device as a whole.
    func add(
        _ what: String, hint: String?, at node: YAMLNode, key: String? = nil, of device: inout ConfiguredDevice
    ) {
        let path = key.map { "\(device.place?.path ?? "").\($0)" } ?? node.path
        guard key == "" || !issues.hasError(at: path, in: node.file) && !deviceIssues.hasError(at: path, in: node.file)
        else { return }
        deviceIssues.add(what, hint: hint, at: node)
        let place = "\(file.lastPathComponent):\(node.line)"
        device.fault = device.fault ?? "\(what)\(hint.map { "; \($0)" } ?? "") (\(place))"
    }
}

/// A configuration that was looked at.
package struct CheckedConfiguration: Sendable {
    /// The file.
    package let file: URL
    /// Everything that is wrong, in the order of the files.
    package let faults: [YAMLError]
    /// What is not wrong, but a person should look at.
    package let warnings: [YAMLError]
    /// How many faults are not kept, because there are too many.
    package let leftOut: Int
    /// The profiles that devices can use.
    package let profiles: ProfileLibrary
    /// Whether the hub can start: what is wrong, if anything, concerns single devices.
    package let isUsable: Bool
    private let read: HubConfiguration?

    init(
        file: URL, issues: YAMLIssues, deviceIssues: YAMLIssues, profiles: ProfileLibrary,
        read: HubConfiguration? = nil
    ) {
        let all = YAMLIssues()
        all.add(all: issues)
        all.add(all: deviceIssues)
        self.file = file
        self.profiles = profiles
        self.read = read
        faults = all.errors
        warnings = all.all.filter { $0.severity == .warning }
        leftOut = all.leftOut
        isUsable = read != nil && issues.errors.isEmpty
    }

    /// The configuration for a hub: a device that is wrong says why, and is disabled alone.
    /// - Throws: `ConfigurationFaults` with every fault when the file itself, or something it names, is at fault.
    package func usable() throws(ConfigurationFaults) -> HubConfiguration {
        guard isUsable, let read else { throw failure }
        return read.capped
    }

    /// The configuration when nothing at all is wrong with it.
    /// - Throws: `ConfigurationFaults` with every fault.
    package func sound() throws(ConfigurationFaults) -> HubConfiguration {
        guard faults.isEmpty else { throw failure }
        return try usable()
    }

    private var failure: ConfigurationFaults {
        ConfigurationFaults(faults.map(\.description) + (leftOut > 0 ? ["and \(leftOut) more; mend these first"] : []))
    }
}
