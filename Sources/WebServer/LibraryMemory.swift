import CWebSockets

/// The memory that libwebsockets reads for as long as a context lives: the table of protocols and the ping policy.
///
/// The first protocol serves every raw socket and WebSockets without a subprotocol; the others are subprotocols.
final class LibraryMemory {
    let protocols: UnsafeMutablePointer<lws_protocols>
    let policy: UnsafeMutablePointer<lws_retry_bo_t>
    let timer: UnsafeMutablePointer<offpeak_lws_timer>?
    private let count: Int
    private let names: [UnsafeMutablePointer<CChar>?]

    init(subprotocols: [String], pingSeconds: UInt16) {
        names = (["offpeak"] + subprotocols).map { strdup($0) }
        count = names.count + 1
        protocols = .allocate(capacity: count)
        for (index, name) in names.enumerated() {
            var entry = lws_protocols()
            entry.name = UnsafePointer(name)
            entry.callback = libraryCallback
            (protocols + index).initialize(to: entry)
        }
        (protocols + names.count).initialize(to: lws_protocols())
        var pings = lws_retry_bo_t()
        pings.secs_since_valid_ping = pingSeconds
        pings.secs_since_valid_hangup = pingSeconds + max(1, pingSeconds / 2)
        policy = .allocate(capacity: 1)
        policy.initialize(to: pings)
        timer = offpeak_lws_timer_create()
    }

    deinit {
        protocols.deinitialize(count: count)
        protocols.deallocate()
        policy.deinitialize(count: 1)
        policy.deallocate()
        free(timer)
        for name in names { free(name) }
    }
}

/// Takes every callback to the loop that owns the context.
private func libraryCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    guard let handle, let context = lws_get_context(handle), let owner = lws_context_user(context) else { return 0 }
    return Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue().handle(handle, reason, input, length)
}
