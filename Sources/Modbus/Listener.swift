import CModbus
import Glibc

/// A TCP port opened by libmodbus.
enum Listener {
    /// Listens at an IPv4 address in digits; port 0 takes a free one.
    static func open(host: String, port: UInt16) throws(ModbusServer.StartFailure) -> Int32 {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else {
            throw ModbusServer.StartFailure(description: "\(host) is no IPv4 address in digits")
        }
        guard let context = modbus_new_tcp(host, Int32(port)) else {
            throw ModbusServer.StartFailure(description: modbusReason(errno))
        }
        defer { modbus_free(context) }
        let socket = modbus_tcp_listen(context, 16)
        guard socket >= 0 else {
            throw ModbusServer.StartFailure(description: "cannot listen at \(host):\(port): \(modbusReason(errno))")
        }
        return socket
    }

    /// The port that a listening socket has.
    static func port(of socket: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
