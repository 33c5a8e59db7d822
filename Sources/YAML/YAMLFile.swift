internal import Glibc

/// Reading a file that a person named, whatever it turns out to be.
package enum YAMLFile {
    /// The bytes of the file at `path`; never waits, and never reads more than one byte beyond the limit.
    /// - Throws: why it can't be read: not there, not allowed, a folder, a pipe, a device, or too large.
    package static func bytes(path: String, limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe waits for someone to write into it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw YAMLError(file: path, message: "this is a folder", hint: "name a file in it")
        default: throw YAMLError(file: path, message: "this is no regular file", hint: "name a file on disk")
        }
        guard status.st_size <= off_t(limits.bytes) else { throw YAMLNode.tooLarge(path, limits) }
        return try read(descriptor, path, limits)
    }

    private static func read(_ descriptor: Int32, _ path: String, _ limits: YAMLLimits) throws(YAMLError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limits.bytes {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ code: Int32) -> YAMLError {
        let reason = String(cString: strerror(code))
        let hint =
            switch code {
            case ENOENT, ENOTDIR: "check the path"
            case EACCES, EPERM: "let the user that runs offpeak read it, such as with chmod or chown"
            default: "check the path and the disk"
            }
        return YAMLError(file: path, message: "the file cannot be read: \(reason)", hint: hint)
    }
}

extension YAMLNode {
    /// Reads and parses the file at `path`.
    /// - Throws: the first thing that is wrong; that the file can't be read is said at its first line.
    package static func load(path: String, limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLNode {
        try parse(bytes: try YAMLFile.bytes(path: path, limits: limits), file: path, limits: limits)
    }
}
