/// How many event streams are open, in all and from each address.
///
/// Streams stay open for days, so without a bound of their own they would take every connection.
struct EventStreamCount {
    /// How many are open.
    private(set) var total = 0
    private var byAddress: [String: Int] = [:]

    /// The key of clients on the unix socket, which have no address.
    private static let here = "socket"

    mutating func add(_ address: String?) {
        total += 1
        byAddress[address ?? Self.here, default: 0] += 1
    }

    mutating func remove(_ address: String?) {
        let key = address ?? Self.here
        total -= 1
        byAddress[key] = byAddress[key].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// Why one more from this address is refused, or nil if it is not.
    func refusal(for address: String?, _ configuration: WebServerConfiguration) -> RequestRefusal? {
        let own = byAddress[address ?? Self.here] ?? 0
        if own >= configuration.maximumEventStreamsPerAddress {
            return RequestRefusal(503, "\(own) event streams of this address are open; close one, or try again later")
        }
        guard total >= configuration.maximumEventStreams else { return nil }
        return RequestRefusal(503, "\(total) event streams are open, as many as are served; try again later")
    }

    /// How many bytes may wait for one client: less the more clients there are, so that slow ones can't fill the memory.
    func share(_ configuration: WebServerConfiguration) -> Int {
        min(configuration.maximumBufferedEventBytes, configuration.maximumBufferedEventBytesInAll / max(1, total))
    }
}
