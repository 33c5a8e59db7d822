import Foundation
import Systemd
import Testing

/// The service manager's side of the protocol: a datagram socket with a path.
private struct NotifySocket {
    let descriptor: Int32
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "offpeak-notify-\(UUID().uuidString.prefix(8))"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0)
    }

    /// The next message; nil when there is none, since every message is there before `sd_notify` returns.
    func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    func close() {
        Foundation.close(descriptor)
        unlink(path)
    }
}

// The environment belongs to the whole process, so each test has a process of its own.
@Suite(.timeLimit(.minutes(3)))
struct ServiceNotifierTests {
    @Test func tellsTheServiceManager() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket()
            defer { manager.close() }
            setenv("NOTIFY_SOCKET", manager.path, 1)
            #expect(ServiceNotifier.send(.ready, .status("3 devices,\n1 missing")))
            #expect(manager.receive() == "READY=1\nSTATUS=3 devices, 1 missing")
            #expect(ServiceNotifier.send(.watchdog))
            #expect(manager.receive() == "WATCHDOG=1")
            #expect(ServiceNotifier.send(.stopping))
            #expect(manager.receive() == "STOPPING=1")
            #expect(manager.receive() == nil)
        }
    }

    @Test func doesNothingOutsideSystemd() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            unsetenv("WATCHDOG_USEC")
            #expect(!ServiceNotifier.send(.ready))
            #expect(ServiceNotifier.watchdogInterval == nil)
        }
    }

    @Test func survivesAServiceManagerThatIsGone() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/no/such/socket", 1)
            #expect(!ServiceNotifier.send(.ready))
        }
    }

    @Test func readsTheWatchdogsInterval() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "60000000", 1)
            unsetenv("WATCHDOG_PID")
            #expect(ServiceNotifier.watchdogInterval == .seconds(60))
            setenv("WATCHDOG_PID", "1", 1)
            #expect(ServiceNotifier.watchdogInterval == nil)
        }
    }
}
