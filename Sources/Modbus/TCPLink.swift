import Glibc

/// A TCP connection that speaks Modbus frames.
///
/// libmodbus 3.1.6 compares the transaction number of a reply but not its unit, gives up at the first late frame instead of
/// waiting for the right one, and cannot tell a request that never left from one whose answer is missing. So frames
/// are sent and received here; the frame's own length field keeps the stream in step whatever a reply holds.
final class TCPLink: Link {
    private static let headerLength = 7
    private let socket: Int32
    private var transaction: UInt16 = 0
    private var input = [UInt8](repeating: 0, count: 1024)
    private var filled = 0
    private var kernelTimeout: Duration = .zero

    /// Takes over a connected socket in blocking mode and closes it in the end.
    init(socket: Int32) {
        self.socket = socket
    }

    deinit {
        close(socket)
    }

    var isOpen: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    }

    func exchange(_ request: ModbusRequest, timeout: Duration) throws(LinkFailure) -> [UInt8] {
        try dropLeftovers()
        transaction &+= 1
        try send(request)
        let deadline = Deadline(after: timeout)
        var mayUseKernelTimeout = true
        while true {
            while let frame = try nextFrame() {
                if let answer = try answer(to: request, in: frame) { return answer }
            }
            try receive(until: deadline, timeout: timeout, first: mayUseKernelTimeout)
            mayUseKernelTimeout = false
        }
    }

    /// Reads away what came in since the last request: replies that were late, or the end of the connection.
    private func dropLeftovers() throws(LinkFailure) {
        let count = receiveNow()
        guard count != 0 else { throw .notSent("the other end closed it") }
        guard count > 0 else {
            guard errno == EAGAIN || errno == EINTR else { throw .notSent(reason(errno)) }
            return
        }
        filled += count
        do {
            while try nextFrame() != nil {}
        } catch {
            throw .notSent("bytes came in that are no Modbus frame")
        }
        guard filled == 0 else { throw .notSent("a part of a frame came in") }
    }

    private func send(_ request: ModbusRequest) throws(LinkFailure) {
        let length = UInt16(request.pdu.count + 1)
        let frame = transaction.bytes + [0, 0] + length.bytes + [request.unit] + request.pdu
        // A request has at most 260 bytes and nothing else waits in the buffer, so one call takes it whole or not.
        let sent = frame.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent >= 0 else { throw .notSent(reason(errno)) }
        guard sent == frame.count else { throw .lost("only a part of the request could be sent") }
    }

    /// Takes the next whole frame out of the input: its transaction, its unit and its data unit.
    private func nextFrame() throws(LinkFailure) -> Frame? {
        guard filled >= Self.headerLength else { return nil }
        let length = Int(input[4]) << 8 | Int(input[5])
        guard input[2] == 0, input[3] == 0, (2...254).contains(length) else {
            throw .garbled("bytes that are no Modbus frame")
        }
        let end = 6 + length
        guard filled >= end else { return nil }
        let frame = Frame(
            transaction: UInt16(input[0]) << 8 | UInt16(input[1]), unit: input[6], pdu: [UInt8](input[7..<end]))
        if filled > end { input.replaceSubrange(0..<(filled - end), with: input[end..<filled]) }
        filled -= end
        return frame
    }

    private func answer(to request: ModbusRequest, in frame: Frame) throws(LinkFailure) -> [UInt8]? {
        guard frame.transaction == transaction, frame.unit == request.unit else { return nil }
        switch request.judge(frame.pdu[...]) {
        case .answer, .refusal: return frame.pdu
        case .foreign: return nil
        case .malformed(let what): throw .malformed(what)
        }
    }

    /// Waits for more bytes.
    ///
    /// The first wait lasts the whole timeout, so the kernel's own can serve and saves a call.
    private func receive(until deadline: Deadline, timeout: Duration, first: Bool) throws(LinkFailure) {
        var count = -1
        if first {
            setKernelTimeout(timeout)
            count = receive(flags: 0)
        }
        while count < 0 {
            guard !first || errno == EAGAIN || errno == EINTR else { throw .lost(reason(errno)) }
            try waitForInput(until: deadline)
            count = receiveNow()
            guard count >= 0 || errno == EAGAIN || errno == EINTR else { throw .lost(reason(errno)) }
        }
        guard count > 0 else { throw .lost("the other end closed it") }
        filled += count
    }

    private func waitForInput(until deadline: Deadline) throws(LinkFailure) {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = poll(&entry, 1, deadline.pollMilliseconds)
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw .lost(reason(errno)) }
            guard deadline.isPast else { continue }
            // With half a frame left over, the next reply would be read as its rest.
            guard filled == 0 else { throw .garbled("a part of a frame") }
            throw .silent(isReachable: isEverythingAcknowledged)
        }
    }

    private func receiveNow() -> Int {
        receive(flags: Int32(MSG_DONTWAIT))
    }

    private func receive(flags: Int32) -> Int {
        let start = filled
        return input.withUnsafeMutableBytes { buffer in
            recv(socket, buffer.baseAddress?.advanced(by: start), buffer.count - start, flags)
        }
    }

    private func setKernelTimeout(_ timeout: Duration) {
        guard timeout != kernelTimeout else { return }
        var value = timeout.timeValue
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &value, socklen_t(MemoryLayout<timeval>.size))
        kernelTimeout = timeout
    }

    /// Whether the other machine confirmed every byte that we sent; if not, it or the way to it is gone.
    private var isEverythingAcknowledged: Bool {
        var queued: Int32 = 0
        guard ioctl(socket, UInt(TIOCOUTQ), &queued) == 0 else { return false }
        return queued == 0
    }

    private struct Frame {
        let transaction: UInt16
        let unit: UInt8
        let pdu: [UInt8]
    }
}

/// The system's words for an error number.
func reason(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return buffer.withUnsafeBufferPointer { text in text.baseAddress.map { String(cString: $0) } ?? "" }
}
