import Foundation
import HubKit
import ProfileKit
import ThreadKit

/// `offpeak report`: what somebody else needs to know of a device to find a fault, and nothing that is private.
enum ReportCommand {
    static func run(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "report")
        let name = try given.only("DEVICE")
        let heard = Locked<[RecordedExchange]>([])
        let lone = try await LoneDevice(
            name, given, traffic: TrafficTap { exchange in heard.withLock { $0.append(exchange) } })
        let cleaner = TrafficCleaner(of: lone.configuration, lone.profile)
        var failure: (any Error)?
        var points: [InspectedPoint] = []
        do {
            points = try await lone.inspect()
        } catch {
            failure = error
        }
        await lone.close()
        var parts = [head, configuration(lone)]
        if let failure {
            parts.append(section("One reading", "It failed: \(plainWords(of: failure))"))
        } else {
            parts.append(section("One reading", code(table(points))))
        }
        let exchanges = heard.current.map { cleaner.cleaned($0) }
        if let profile = lone.profile, !exchanges.isEmpty {
            let head = DeviceRecording.Head(
                lone.configuration, profile, began: SystemClock().now, program: Version.number)
            let recording = DeviceRecording(head: head, exchanges: exchanges)
            parts.append(section("What was said, for 'offpeak replay'", code(recording.text)))
        }
        Console.out(cleaner.cleaned(parts.joined(separator: "\n")))
        Console.error("names, addresses and logins are taken out; look it over before you give it away")
        return .success
    }

    private static func section(_ title: String, _ text: String) -> String { "## \(title)\n\n\(text)\n" }

    private static func code(_ text: String) -> String {
        "```\n" + (text.hasSuffix("\n") ? text : text + "\n") + "```"
    }

    private static var head: String {
        var system = utsname()
        uname(&system)
        let machine = withUnsafeBytes(of: &system.machine) { text($0) }
        let kernel = withUnsafeBytes(of: &system.release) { text($0) }
        let file = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let line = file.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        let name = line.map { $0.dropFirst(12).filter { $0 != "\"" } } ?? "Linux"
        return "# A device of Offpeak \(Version.number)\n\n\(name), kernel \(kernel), \(machine)\n"
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func configuration(_ lone: LoneDevice) -> String {
        let device = lone.configuration
        var lines = ["driver: \(device.driver)"]
        if let profile = device.profile { lines.append("profile: \(profile)") }
        if !device.profileOptions.isEmpty { lines.append("options: \(device.profileOptions.joined(separator: ", "))") }
        if let role = device.role { lines.append("role: \(role.rawValue)") }
        if let most = device.limits.maximumAmps { lines.append("max_amps: \(plain(most))") }
        if let most = device.limits.maximumWatts { lines.append("max_watts: \(plain(most))") }
        if let pause = device.pollSeconds { lines.append("poll_seconds: \(plain(pause))") }
        let parameters = ParameterMarks(of: device, lone.profile).parameters
        lines.append("connection: \(way(device.connection, lone.profile) + names(parameters))")
        return section("Configuration", code(lines.joined(separator: "\n")))
    }

    /// How it is reached, without where.
    private static func way(_ connection: DeviceConnection, _ profile: DeviceProfile?) -> String {
        switch connection {
        case .modbusTCP(_, let port, let unit):
            let known = profile?.transport
            let unit = (unit ?? known?.unit).map { ", unit \($0)" } ?? ""
            return "Modbus TCP, port \(port ?? known?.port ?? 502)" + unit
        case .modbusRTU(_, let baud, let framing, let unit):
            let known = profile?.transport
            let speech = "\(baud ?? known?.baud ?? 9600) \(framing ?? known?.framing ?? "8N1")"
            return "Modbus RTU, \(speech)" + ((unit ?? known?.unit).map { ", unit \($0)" } ?? "")
        case .mqtt(let topic):
            return "MQTT" + (topic.host == nil ? ", the hub's broker" : ", a broker of its own")
        case .http(let address):
            let scheme = address.base.hasPrefix("https") ? "HTTPS" : "HTTP"
            let login = address.token != nil ? ", a token" : address.password != nil ? ", a user" : ""
            return scheme + login
        case .ocpp: return "OCPP 1.6J"
        case .none: return "none"
        }
    }

    private static func names(_ parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { ", \($0.key) = \($0.value)" }.joined()
    }

    private static func table(_ points: [InspectedPoint]) -> String {
        let rows = points.map { [$0.name, $0.value ?? "not available", $0.raw, $0.place] }
        return TextTable(["point", "value", "raw", "place"], rows).lines(width: nil).joined(separator: "\n")
    }
}
