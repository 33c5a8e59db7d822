import Foundation
import Modbus
import TestSupport

/// A configuration of a test's own with its data folder.
struct Household {
    let folder: TemporaryFolder
    let configuration: URL

    /// Writes a configuration.
    /// - Parameters:
    ///   - devices: a device each, as the rest of a YAML list element.
    ///   - data: the data folder; one beside the file when nil.
    ///   - port: where it listens; 0 takes a free one.
    ///   - http: further keys of `http`, after a comma.
    ///   - venue: what is known of the home beside its name, zone and currency.
    init(
        devices: [String] = [], data: String = "data", port: Int = 0, http: String = "",
        venue: String = "rate_plan: {flat: 0.30}", more: String = ""
    ) throws {
        folder = try TemporaryFolder()
        var lines = [
            "data: \(data)", "http: {listen: \"127.0.0.1:\(port)\"\(http)}", "venues:",
            "  - {name: Home, time_zone: Europe/Berlin, currency: EUR, \(venue)}",
        ]
        if !devices.isEmpty { lines += ["devices:"] + devices.map { "  - {\($0)}" } }
        configuration = try folder.write((lines + [more]).joined(separator: "\n") + "\n", to: "offpeak.yaml")
    }

    var data: URL { folder.file("data") }

    /// Starts the hub and waits until it answers.
    func run() async throws -> HubProcess { try await HubProcess.run(configuration) }

    /// Makes an access token.
    func token(_ role: String = "operator") async throws -> String {
        let outcome = try await HubProcess.offpeak("token", "create", "--role", role, "--config", configuration.path)
        guard outcome.status == 0, let token = outcome.standardOutput.split(separator: "\n").last else {
            throw HubProcess.Failure(description: "no token: \(outcome)")
        }
        return String(token)
    }

    /// The line of a meter with the profile of an SMA inverter.
    static func meter(_ id: String, _ port: UInt16, driver: String = "meter", profile: String = "sma-inverter")
        -> String
    {
        "id: \(id), driver: \(driver), profile: \(profile), role: solar, poll_seconds: 0.5, "
            + "connection: {host: 127.0.0.1, port: \(port)}"
    }
}

/// An SMA inverter's registers as the profile `sma-inverter` reads them.
struct Inverter {
    let device: VirtualDevice

    init(watts: UInt16) throws {
        device = try VirtualDevice(unit: 3, holding: [30_775: [0, watts], 30_513: [0, 0, 0, 5000]])
    }

    var port: UInt16 { device.server.port }

    func set(watts: UInt16) { device.set(.holding, 30_775, [0, watts]) }
}

/// A server on loopback that speaks to whoever connects, and never Modbus.
final class BabblingServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = BabblingServer.socket()
        self.descriptor = descriptor
        port = try Self.listen(descriptor)
        Thread.detachNewThread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { BabblingServer.babble(to: client) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// A socket that no program which is started later inherits: it would hold the port.
    fileprivate static func socket() -> Int32 {
        Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Binds a socket to a free port of loopback and listens.
    fileprivate static func listen(_ descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Foundation.listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Words without end, quicker than anyone asks.
    private static func babble(to client: Int32) {
        let words = Array("HELLO, I AM NOT A METER. ".utf8)
        while send(client, words, words.count, Int32(MSG_NOSIGNAL)) > 0 { usleep(5_000) }
        close(client)
    }
}

extension BabblingServer {
    /// Holds a port without serving anyone, until it is released.
    final class Holder: Sendable {
        let port: Int
        private let descriptor: Int32

        init() throws {
            let descriptor = BabblingServer.socket()
            port = Int(try BabblingServer.listen(descriptor))
            self.descriptor = descriptor
        }

        func release() { close(descriptor) }
    }
}

/// A file system in memory of a test's own: as small as wanted, or not to be written.
final class MountedFolder: Sendable {
    let folder: TemporaryFolder

    /// Whether this machine lets the tests mount.
    static let isPossible: Bool = (try? MountedFolder(options: "size=64k")) != nil

    init(options: String) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, options) == 0 else { throw POSIXError(.EPERM) }
    }

    /// Takes away the right to write to it.
    func makeReadOnly() throws {
        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        guard mount("tmpfs", folder.path, "tmpfs", flags, nil) == 0 else { throw POSIXError(.EPERM) }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }
}
