import Foundation

/// Writes a line to standard error, and lets it go where that can't be written: a full disk or a closed pipe behind the
/// log must not end the hub.
enum LogLine {
    static func write(_ line: String) {
        let bytes = Array(line.utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            start += count
        }
    }
}
