package import Foundation
package import HubKit

/// Where the files that come with the hub are: profiles, the page and the demo's figures.
package struct Share: Sendable {
    /// The folder.
    package let folder: URL
    /// Where it was looked for, to be said where it is not there.
    private let places: [String]

    /// Finds the folder: the one given, `OFFPEAK_SHARE`, the checkout the program was built in, or the system's own.
    package static func find(_ given: String?, environment: [String: String] = ProcessInfo.processInfo.environment)
        -> Share
    {
        if let path = given ?? environment["OFFPEAK_SHARE"] {
            let from = given == nil ? "of OFFPEAK_SHARE" : "of --share"
            return Share(folder: URL(fileURLWithPath: path), places: ["\(path) (\(from))"])
        }
        var folder = URL(fileURLWithPath: executablePath).deletingLastPathComponent()
        for _ in 0..<5 {
            let etc = folder.appendingPathComponent("etc")
            if FileManager.default.fileExists(atPath: etc.appendingPathComponent("profiles/ev").path) {
                return Share(folder: etc, places: [etc.path])
            }
            folder.deleteLastPathComponent()
        }
        let system = "/usr/share/offpeak"
        let checkout = "'etc' of a checkout around \(executablePath)"
        return Share(folder: URL(fileURLWithPath: system), places: [checkout, system])
    }

    /// What of the folder a command can't do without.
    package enum Part: String, Sendable {
        /// The shipped profiles.
        case profiles
        /// The demo's figures.
        case demo
    }

    /// The same folder, if a part of it is there.
    /// - Throws: `HubError` that says where it was looked for.
    package func with(_ part: Part) throws(HubError) -> Share {
        var isFolder: ObjCBool = false
        let path = folder.appendingPathComponent(part.rawValue).path
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue else {
            return self
        }
        throw HubError(
            .configuration,
            "the folder that comes with the program is not there, or has no '\(part.rawValue)'; looked for in "
                + "\(places.joined(separator: " and ")); install it, or name it with --share or OFFPEAK_SHARE")
    }

    private static var executablePath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// The shipped profiles.
    package var profiles: URL { folder.appendingPathComponent("profiles") }
    /// The page.
    package var dashboard: URL { folder.appendingPathComponent("dashboard") }
    /// The demo's figures.
    package var demo: URL { folder.appendingPathComponent("demo") }
}
