package import Foundation
import Guidance
package import HubKit
import ProfileKit
import Storage
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
    /// What is wrong with the content of series files: it stops the first start, but no hub that has the last good figures.
    let seriesIssues = YAMLIssues()

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
            return CheckedConfiguration(self, profiles: profiles)
        }
        if let folder = configuration.profileFolder { profiles.add(folder: folder) }
        checkProfiles(profiles, configuration)
        checkPresence(configuration)
        checkDevices(&configuration, profiles)
        checkAddresses(&configuration, profiles)
        var broken: [BrokenSeries] = []
        for venue in configuration.venues { broken += checkSeries(venue) }
        for source in configuration.sources { broken += checkFile(source).map { [$0] } ?? [] }
        checkMachine()
        warn(configuration, profiles)
        return CheckedConfiguration(self, profiles: profiles, broken: broken, read: configuration)
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
    package var isUsable: Bool { isUsableButForSeries && broken.isEmpty }
    private let isUsableButForSeries: Bool
    private let broken: [BrokenSeries]
    private let read: HubConfiguration?

    init(
        _ check: ConfigurationCheck, profiles: ProfileLibrary, broken: [BrokenSeries] = [],
        read: HubConfiguration? = nil
    ) {
        let all = YAMLIssues()
        for issues in [check.issues, check.deviceIssues, check.seriesIssues] { all.add(all: issues) }
        file = check.file
        self.broken = broken
        self.profiles = profiles
        self.read = read
        faults = all.errors
        warnings = all.all.filter { $0.severity == .warning }
        leftOut = all.leftOut
        isUsableButForSeries = read != nil && check.issues.errors.isEmpty
    }

    /// The configuration for a hub: a device that is wrong says why, and is disabled alone.
    /// - Throws: `ConfigurationFaults` with every fault when the file itself, or something it names, is at fault.
    package func usable() throws(ConfigurationFaults) -> HubConfiguration {
        guard isUsable, let read else { throw failure }
        return read.capped
    }

    /// The configuration for a hub that may have run before: a series file that is missing or broken now leaves its source in error,
    /// where the store in the data folder has figures of it.
    ///
    /// The store is only read.
    /// - Throws: `ConfigurationFaults` with every fault, on the first start with a file above all.
    package func usableWithKeptSeries() async throws(ConfigurationFaults) -> HubConfiguration {
        guard !broken.isEmpty, isUsableButForSeries, let read else { return try usable() }
        let kept = await HubStore.keptSources(in: read.dataFolder)
        guard broken.allSatisfy({ $0.isKept(in: kept) }) else { throw failure }
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
