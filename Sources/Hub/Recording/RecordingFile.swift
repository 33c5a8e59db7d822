import Foundation
import HubKit
import ProfileKit
import ThreadKit

/// A recording that is being written: each exchange is in the file as soon as it happened, without secrets.
final class RecordingFile: Sendable {
    private struct State {
        var descriptor: Int32
        var cleaner = TrafficCleaner()
        var count = 0
        var began = ContinuousClock.now
        /// The system's number for what could not be written.
        var fault: Int32 = 0
    }

    private let path: String
    private let state: Locked<State>

    /// Makes the file, for its owner alone.
    /// - Throws: `HubError` where there is one already, or it can't be made.
    init(_ path: String) throws(HubError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason =
                errno == EEXIST ? "it is there already; remove it, or name another" : String(cString: strerror(errno))
            throw HubError(.configuration, "\(path) can't be made: \(reason)")
        }
        self.path = path
        state = Locked(State(descriptor: descriptor))
    }

    deinit { close(state.current.descriptor) }

    /// Takes the empty file away again, such as where nothing could be recorded.
    func discard() { unlink(path) }

    /// Writes what is recorded, and counts time from here on.
    func begin(_ head: DeviceRecording.Head, _ cleaner: TrafficCleaner) {
        state.withLock { state in
            state.cleaner = cleaner
            state.began = .now
            Self.write(DeviceRecording.line(head), &state)
        }
    }

    /// Writes an exchange.
    func take(_ exchange: RecordedExchange) {
        state.withLock { state in
            var exchange = state.cleaner.cleaned(exchange)
            exchange.after = ((ContinuousClock.now - state.began) / .milliseconds(1)).rounded() / 1000
            state.count += 1
            Self.write(DeviceRecording.line(exchange), &state)
        }
    }

    /// How many exchanges are in it.
    /// - Throws: `HubError` where something could not be written.
    func finish() throws(HubError) -> Int {
        let state = state.current
        guard state.fault == 0 else {
            throw HubError(.storage, "\(path) is not whole: \(String(cString: strerror(state.fault)))")
        }
        return state.count
    }

    private static func write(_ line: String, _ state: inout State) {
        let bytes = Array((line + "\n").utf8)
        var start = 0
        while start < bytes.count, state.fault == 0 {
            let descriptor = state.descriptor
            let count = bytes[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { state.fault = count < 0 ? errno : EIO }
            start += max(count, 0)
        }
    }
}
