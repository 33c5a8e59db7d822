import CMosquitto
import Foundation

/// One connection of libmosquitto, from its attempt to its end; a new connection is a new session.
///
/// Nothing under way outlives it inside the library, so that what is sent again, and in what order, is decided here.
///
/// ## Thread Safety
/// None: it belongs to the client's actor. The library's own thread is not used and the callbacks run inside the calls.
final class Session {
    /// What the library told during a call.
    enum Event {
        /// The broker's answer to the connection: 0 for yes.
        case connected(code: Int)
        /// A message was written or answered; from 0x80 on the broker did not take it.
        case published(Int32, reason: Int)
        case subscribed(Int32, granted: Int32)
        case message(MQTTMessage)
    }

    /// Collects what the callbacks tell; the library holds a pointer to it.
    private final class Inbox {
        var events: [Event] = []
        var trouble = TLSTrouble()
    }

    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let handle: OpaquePointer
    private let inbox = Inbox()
    private let configuration: MQTTConfiguration
    /// The version of the protocol that it speaks.
    let version: ProtocolVersion
    /// The broker's name, which its certificate has to have.
    private var host = ""
    /// Whether somebody was at the other end.
    private var isReached = false
    /// Whether both sides have agreed on encryption.
    private var hasAgreed = false
    /// Whether the broker has answered to the connection.
    private var isAnswered = false
    /// Whether the broker closed it.
    private(set) var wasClosedByBroker = false

    /// Prepares a connection; nothing is sent yet.
    /// - Throws: `MQTTError.invalidConfiguration`.
    init(_ configuration: MQTTConfiguration, version: ProtocolVersion) throws(MQTTError) {
        self.configuration = configuration
        self.version = version
        let context = Unmanaged.passUnretained(inbox).toOpaque()
        guard Self.isReady,
            let handle = mosquitto_new(configuration.clientID, configuration.isCleanSession, context)
        else { throw .invalidConfiguration("the client needs a client id of valid UTF-8") }
        self.handle = handle
        setCallbacks()
        try setOptions()
    }

    deinit {
        mosquitto_destroy(handle)
    }

    /// Everything told since the last call, oldest first.
    func takeEvents() -> [Event] {
        guard !inbox.events.isEmpty else { return [] }
        defer { inbox.events.removeAll(keepingCapacity: true) }
        if !isAnswered, case .connected? = inbox.events.first { isAnswered = true }
        return inbox.events
    }

    // MARK: - Setting up

    private func setOptions() throws(MQTTError) {
        try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version.number), "protocol version")
        if let userName = configuration.userName {
            try check(mosquitto_username_pw_set(handle, userName, configuration.password), "user name or password")
        }
        if let will = configuration.will {
            let code = mosquitto_will_set(
                handle, will.topic, Int32(will.payload.count), will.payload, will.qos.rawValue, will.isRetained)
            try check(code, "last will")
        }
        if let tls = configuration.tls {
            // The library would say no more than that it can't use them.
            if let fault = tls.faults.first(where: { !$0.isTime }) {
                throw .encryption("\(fault.reason); \(fault.remedy)")
            }
            watchEncryption()
            // Without a file of authorities the library wants a folder: the one where Debian keeps them.
            let folder = tls.authorityFile == nil ? "/etc/ssl/certs" : nil
            let code = mosquitto_tls_set(handle, tls.authorityFile, folder, tls.certificateFile, tls.keyFile, nil)
            try check(code, "TLS files")
        }
        try check(mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1), "no delay")
    }

    private func check(_ code: Int32, _ what: String) throws(MQTTError) {
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            throw .invalidConfiguration("\(what): \(Self.text(code))")
        }
    }

    /// Notes what is said of encryption, while the library still has the connection.
    private func watchEncryption() {
        mosquitto_log_callback_set(handle) { handle, context, level, text in
            guard level == MOSQ_LOG_ERR, let handle, let context, let text else { return }
            let connection = mosquitto_ssl_get(handle).map { OpaquePointer($0) }
            let verification = connection.map { SSL_get_verify_result($0) } ?? 0
            Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().trouble.note(
                String(cString: text), verification: verification)
        }
    }

    private func setCallbacks() {
        mosquitto_connect_callback_set(handle) { _, context, code in
            Session.note(context, .connected(code: Int(code)))
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, id, reason, _ in
            Session.note(context, .published(id, reason: Int(reason)))
        }
        mosquitto_subscribe_callback_set(handle) { _, context, id, count, granted in
            let refusal: Int32 = 0x80
            Session.note(context, .subscribed(id, granted: count > 0 ? granted?[0] ?? refusal : refusal))
        }
        mosquitto_message_callback_set(handle) { _, context, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            Session.note(
                context,
                .message(
                    MQTTMessage(
                        topic: String(cString: topic), payload: Array(bytes),
                        qos: message.qos == 0 ? .atMostOnce : .atLeastOnce, isRetained: message.retain)))
        }
    }

    private static func note(_ context: UnsafeMutableRawPointer?, _ event: Event) {
        guard let context else { return }
        Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().events.append(event)
    }

    // MARK: - The connection

    /// Begins to connect.
    ///
    /// It looks the name up, which may block; the rest comes with `read` and `write`.
    /// - Parameters:
    ///   - place: the broker.
    ///   - attempt: counted from 0; each takes the next of the broker's addresses.
    func connect(to place: MQTTPlace, attempt: Int) throws(MQTTError) {
        let seconds = max(5, Int32(clamping: configuration.keepAlive.components.seconds))
        host = place.host
        let port = Int32(clamping: place.port)
        let addresses = try Addresses.resolve(host)
        if configuration.tls == nil, !addresses.isEmpty {
            try lost(mosquitto_connect_async(handle, addresses[attempt % addresses.count], port, seconds))
        } else if addresses.count > 1 {
            // The certificate is checked against the name, which therefore has to be handed over as it is; only the
            // blocking call then tries every address.
            try lost(mosquitto_connect(handle, host, port, seconds))
        } else {
            try lost(mosquitto_connect_async(handle, host, port, seconds))
        }
        // A connection within the machine may have come, and be broken again, before it is first looked at.
        isReached = hasPeer
    }

    /// Why the system says the connection is broken.
    var brokenReason: MQTTError {
        let number = systemError
        if let fault = encryptionFault(isCut: number == 0) { return fault }
        return .connectionLost(number == 0 ? "the connection was closed" : String(cString: strerror(number)))
    }

    /// What is wrong with the encryption: what was said of that, or what may be when there was no answer at all.
    /// - Parameter isCut: whether the other side was there and broke it off.
    private func encryptionFault(isCut: Bool) -> MQTTError? {
        guard let tls = configuration.tls else { return nil }
        if let words = inbox.trouble.words(tls, host: host) { return .encryption(words) }
        guard !isAnswered, isCut || hasAgreed || !inbox.trouble.isEmpty else { return nil }
        return .encryptionBroken(TLSTrouble.guess(tls, isReached: isReached, hasAgreed: hasAgreed))
    }

    /// What the system holds against the socket; 0 for nothing.
    private var systemError: Int32 {
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        if let socket { getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &length) }
        return number
    }

    /// Whether there is somebody at the other end of the socket.
    private var hasPeer: Bool {
        guard let socket else { return false }
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return getpeername(socket, &address, &length) == 0
    }

    /// Notes how far an encrypted connection comes; when it is broken the library has it no more.
    /// - Throws: `MQTTError` where there is nobody to agree with, of which the library would make a protocol error.
    private func noteHandshake() throws(MQTTError) {
        guard configuration.tls != nil, !hasAgreed else { return }
        let number = systemError
        guard number == 0 else {
            throw encryptionFault(isCut: number == ECONNRESET || number == EPIPE)
                ?? .connectionLost(String(cString: strerror(number)))
        }
        isReached = isReached || hasPeer
        hasAgreed = mosquitto_ssl_get(handle).map { SSL_is_init_finished(OpaquePointer($0)) == 1 } ?? false
    }

    /// The socket; nil while there is none.
    var socket: Int32? {
        let descriptor = mosquitto_socket(handle)
        return descriptor < 0 ? nil : descriptor
    }

    var wantsWriting: Bool { mosquitto_want_write(handle) }

    func read() throws(MQTTError) {
        try noteHandshake()
        let code = mosquitto_loop_read(handle, 1)
        wasClosedByBroker =
            code == MOSQ_ERR_CONN_LOST.rawValue || code == MOSQ_ERR_ERRNO.rawValue && errno == ECONNRESET
        try lost(code)
        // In version 5 a broker says good-bye, after which the library has no connection and no error.
        if socket == nil { throw .connectionLost("the broker closed the connection") }
    }

    func write() throws(MQTTError) {
        try noteHandshake()
        try lost(mosquitto_loop_write(handle, 1))
    }

    /// Lets what is written meanwhile leave together: a packet of the network for each message costs more than all else.
    ///
    /// The library writes each message, and each acknowledgement, by itself and at once.
    func together(_ body: () -> Void) {
        guard let socket else { return body() }
        hold(socket, 1)
        body()
        // It may have gone meanwhile, and its number may be another's.
        if self.socket == socket { hold(socket, 0) }
    }

    private func hold(_ socket: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Pings a silent connection; to be called about once a second.
    func keepAlive() throws(MQTTError) {
        try lost(mosquitto_loop_misc(handle))
    }

    /// Says good-bye, so that the broker does not publish the last will.
    func disconnect() {
        mosquitto_disconnect(handle)
    }

    private func lost(_ code: Int32) throws(MQTTError) {
        let number = errno
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            let isSystem = code == MOSQ_ERR_ERRNO.rawValue
            let isCut = isSystem && number == EPROTO || code == MOSQ_ERR_CONN_LOST.rawValue
            if let fault = encryptionFault(isCut: isCut) { throw fault }
            throw .connectionLost(isSystem ? String(cString: strerror(number)) : Self.text(code))
        }
    }

    // MARK: - Messages

    /// Hands a message to the library.
    /// - Returns: the number by which `Event.published` names it.
    func publish(_ message: MQTTMessage) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        let code = mosquitto_publish(
            handle, &id, message.topic, Int32(message.payload.count), message.payload, message.qos.rawValue,
            message.isRetained)
        switch code {
        case MOSQ_ERR_PAYLOAD_SIZE.rawValue, MOSQ_ERR_OVERSIZE_PACKET.rawValue:
            throw .payloadTooLarge(bytes: message.payload.count)
        case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue: throw .invalidTopic(message.topic)
        default: try lost(code)
        }
        return id
    }

    /// Asks for a subscription.
    /// - Parameter showsRetained: a message that was published to be retained says so also to those who were there
    ///   already; version 3.1.1 has no word for that.
    /// - Returns: the number by which `Event.subscribed` names it.
    func subscribe(_ filter: String, qos: MQTTQoS, showsRetained: Bool) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        let options = showsRetained && version == .five ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        try lost(mosquitto_subscribe_v5(handle, &id, filter, qos.rawValue, options, nil))
        return id
    }

    func unsubscribe(_ filter: String) throws(MQTTError) {
        try lost(mosquitto_unsubscribe(handle, nil, filter))
    }

    // MARK: - Topics

    static func isTopic(_ topic: String) -> Bool {
        !topic.isEmpty && !topic.utf8.contains(0)
            && mosquitto_pub_topic_check(topic) == MOSQ_ERR_SUCCESS.rawValue
    }

    static func isFilter(_ filter: String) -> Bool {
        !filter.isEmpty && !filter.utf8.contains(0)
            && mosquitto_sub_topic_check(filter) == MOSQ_ERR_SUCCESS.rawValue
    }

    static func matches(_ filter: String, _ topic: String) -> Bool {
        var result = false
        return mosquitto_topic_matches_sub(filter, topic, &result) == MOSQ_ERR_SUCCESS.rawValue && result
    }

    /// Why a message was not taken.
    static func reason(_ code: Int) -> String {
        mosquitto_reason_string(Int32(code)).map { String(cString: $0) } ?? "code \(code)"
    }

    private static func text(_ code: Int32) -> String {
        String(cString: mosquitto_strerror(code))
    }
}
