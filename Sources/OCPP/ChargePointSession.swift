import HubKit
import WebServer

/// One connection of a charger: matches answers to calls, and lets one call go on at a time in each direction.
package actor ChargePointSession {
    /// The charger's name as it connected.
    package nonisolated let chargePoint: String
    /// Counts the connections of all chargers: a later one has the higher number.
    package nonisolated let number: Int
    private let connection: WebSocketConnection
    private let timeout: Duration
    private var pending: Pending?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isCalling = false
    private var isClosed = false
    private var count = 0

    private struct Pending {
        var id: String
        var continuation: CheckedContinuation<Payload, any Error>
        var timer: Task<Void, Never>
    }

    init(_ chargePoint: String, number: Int, _ connection: WebSocketConnection, timeout: Duration) {
        self.chargePoint = chargePoint
        self.number = number
        self.connection = connection
        self.timeout = timeout
    }

    /// Calls the charger and waits for its answer; while another call is on its way, after that.
    /// - Throws: `CallError` when it refuses, `HubError` when it does not answer or its connection ends.
    package func call(_ request: CentralRequest) async throws -> Payload {
        await takeTurn()
        defer { giveTurn() }
        guard !isClosed else { throw ChargePointSession.lost }
        count += 1
        let id = String(count)
        let frame = Frame.call(id: id, action: request.action, payload: request.payload)
        let timeout = timeout
        return try await withCheckedThrowingContinuation { continuation in
            let timer = Task { [weak self] in
                guard (try? await Task.sleep(for: timeout)) != nil else { return }
                let silence = "the charger does not answer \(request.action) within \(Int(timeout.inSeconds)) s"
                await self?.settle(id, .failure(HubError(.connection, silence, retry: .transient)))
            }
            pending = Pending(id: id, continuation: continuation, timer: timer)
            Task {
                guard (try? await connection.send(.text(frame.json))) == nil else { return }
                settle(id, .failure(ChargePointSession.lost))
            }
        }
    }

    /// The status of an answer, such as `Accepted`.
    /// - Throws: as `call`.
    package func status(of request: CentralRequest) async throws -> String {
        try await call(request)["status"]?.asText ?? ""
    }

    /// Serves the connection until it ends.
    func run(_ listener: any ChargePointListener) async {
        for await message in connection.messages {
            guard !isClosed else { break }
            switch message {
            case .text(let text): await receive(text, listener)
            case .binary:
                await send(.refusal(id: "-1", CallError(.formationViolation, "a message is a text, not binary")))
            }
        }
        close()
    }

    /// Ends the connection; nothing that it still brings is looked at.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        connection.close()
        if let id = pending?.id { settle(id, .failure(ChargePointSession.lost)) }
    }

    private static let lost = HubError(.connection, "the charger's connection has ended", retry: .transient)

    // MARK: - Messages

    private func receive(_ text: String, _ listener: any ChargePointListener) async {
        let frame: Frame
        do throws(Frame.Fault) {
            frame = try Frame(text)
        } catch {
            await listener.received(.fault(error.error), from: self)
            if error.wantsAnswer { await send(.refusal(id: error.id, error.error)) }
            return
        }
        switch frame {
        case .call(let id, let action, let payload): await answer(id, action, payload, listener)
        case .result(let id, let payload): settle(id, .success(payload))
        case .refusal(let id, let error): settle(id, .failure(error))
        }
    }

    private func answer(_ id: String, _ action: String, _ payload: Payload, _ listener: any ChargePointListener) async {
        do throws(CallError) {
            let request = try ChargePointRequest(action, payload)
            let answer = try await listener.answer(request, from: self)
            await send(.result(id: id, payload: answer))
            await listener.received(.request(request), from: self)
        } catch {
            await send(.refusal(id: id, error))
            await listener.received(.fault(error), from: self)
        }
    }

    private func send(_ frame: Frame) async {
        guard !isClosed else { return }
        // A peer that is gone ends the stream of its messages, and with it this session.
        try? await connection.send(.text(frame.json))
    }

    /// Gives the waiting call its answer; one that comes too late, or twice, finds nobody and is dropped.
    private func settle(_ id: String, _ result: Result<Payload, any Error>) {
        guard let pending, pending.id == id else { return }
        self.pending = nil
        pending.timer.cancel()
        pending.continuation.resume(with: result)
    }

    // MARK: - One call at a time

    private func takeTurn() async {
        guard isCalling else {
            isCalling = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func giveTurn() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        isCalling = false
    }
}

/// Who looks after one charger.
package protocol ChargePointListener: AnyObject, Sendable {
    /// The charger has connected; what its sessions of a lower number still bring is of no account.
    func opened(_ session: ChargePointSession) async

    /// The answer to a call; the charger's next message waits for it, so it must not call the charger.
    /// - Throws: `CallError` that is answered in its place.
    func answer(_ request: ChargePointRequest, from session: ChargePointSession) async throws(CallError) -> Payload

    /// A message was dealt with, its answer on the way.
    func received(_ message: ReceivedMessage, from session: ChargePointSession) async

    /// A session has ended.
    func closed(_ session: ChargePointSession) async
}

/// A message that was dealt with.
package enum ReceivedMessage: Sendable, Equatable {
    /// A call that was answered.
    case request(ChargePointRequest)
    /// Something that is no call, or one that was refused, and why.
    case fault(CallError)
}
