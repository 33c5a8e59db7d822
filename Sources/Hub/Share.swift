package import Foundation

/// Where the files that come with the hub are: profiles, the page and the demo's figures.
package struct Share: Sendable {
    /// The folder.
    package let folder: URL

    /// Finds the folder: the one given, `OFFPEAK_SHARE`, the checkout the program was built in, or the system's own.
    package static func find(_ given: String?, environment: [String: String] = ProcessInfo.processInfo.environment)
        -> Share
    {
        if let path = given ?? environment["OFFPEAK_SHARE"] { return Share(folder: URL(fileURLWithPath: path)) }
        var folder = URL(fileURLWithPath: executablePath).deletingLastPathComponent()
        for _ in 0..<5 {
            let etc = folder.appendingPathComponent("etc")
            if FileManager.default.fileExists(atPath: etc.appendingPathComponent("profiles/ev").path) {
                return Share(folder: etc)
            }
            folder.deleteLastPathComponent()
        }
        return Share(folder: URL(fileURLWithPath: "/usr/share/offpeak"))
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
