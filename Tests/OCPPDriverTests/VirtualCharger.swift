import Foundation
import TestSupport
import ThreadKit

/// A charger as a test plays it: it says what it is told to, and answers the hub's calls as it is set to.
actor VirtualCharger {
    /// A call of the hub.
    struct Call: Sendable, Equatable {
        let action: String
        let payload: JSONValue
    }

    let client: WebSocketClient
    /// Every call of the hub, in order.
    private(set) var calls: [Call] = []
    /// The answer to each action, as JSON; a call without one is refused as not implemented.
    private var answers: [String: String]
    private var waiting: [String: CheckedContinuation<JSONValue, Never>] = [:]
    private var count = 0
    private var isOver = false

    /// What a charger of middling skill answers.
    static let usual = [
        "GetConfiguration": settings(), "ChangeConfiguration": accepted, "TriggerMessage": accepted,
        "SetChargingProfile": accepted, "ClearChargingProfile": accepted, "RemoteStartTransaction": accepted,
        "RemoteStopTransaction": accepted,
    ]
    static let accepted = #"{"status":"Accepted"}"#
    static let rejected = #"{"status":"Rejected"}"#

    /// An answer to `GetConfiguration` with what the hub wants set already, changed as given.
    static func settings(_ changed: [String: String] = [:], readOnly: Set<String> = []) -> String {
        var all = [
            "MeterValueSampleInterval": "10", "NumberOfConnectors": "1", "ChargeProfileMaxStackLevel": "8",
            "MeterValuesSampledData":
                "Energy.Active.Import.Register,Power.Active.Import,Current.Import,Current.Offered,Voltage,SoC",
            "ChargingScheduleAllowedChargingRateUnit": "Current",
            "SupportedFeatureProfiles": "Core,SmartCharging,RemoteTrigger",
        ]
        all.merge(changed) { $1 }
        let keys = all.sorted { $0.key < $1.key }.map {
            #"{"key":"\#($0.key)","readonly":\#(readOnly.contains($0.key)),"value":"\#($0.value)"}"#
        }
        return #"{"configurationKey":[\#(keys.joined(separator: ","))]}"#
    }

    private init(_ client: WebSocketClient, _ answers: [String: String]) {
        self.client = client
        self.answers = answers
    }

    /// Connects a charger.
    /// - Parameters:
    ///   - port: the hub's port.
    ///   - name: what it calls itself.
    ///   - answers: its answers, where they are not the usual ones.
    static func connect(
        port: Int, _ name: String = "CP1", answers: [String: String] = [:]
    ) async throws -> VirtualCharger {
        let client = try await WebSocketClient.connect(port: port, path: "/ocpp/\(name)", subprotocol: "ocpp1.6")
        let charger = VirtualCharger(client, usual.merging(answers) { $1 })
        let messages = client.messages
        Task { [weak charger] in
            for await text in messages { await charger?.receive(text) }
            await charger?.end()
        }
        return charger
    }

    /// Sets the answer to an action.
    func set(_ action: String, _ answer: String?) { answers[action] = answer }

    /// Calls the hub.
    /// - Returns: the whole frame of the answer; `.null` where the connection ended first.
    @discardableResult
    func call(_ action: String, _ payload: String = "{}") async -> JSONValue {
        guard !isOver else { return .null }
        count += 1
        let id = "c\(count)"
        client.send(#"[2,"\#(id)","\#(action)",\#(payload)]"#)
        return await withCheckedContinuation { waiting[id] = $0 }
    }

    /// The calls of one action so far.
    func calls(_ action: String) -> [JSONValue] { calls.filter { $0.action == action }.map(\.payload) }

    /// Waits for the call number `count` of an action.
    func call(_ number: Int, of action: String) async -> JSONValue? {
        await eventually { self.calls(action).count >= number ? self.calls(action)[number - 1] : nil }
    }

    private func receive(_ text: String) {
        guard let frame = JSONValue(text: text), let id = frame[1].string else { return }
        guard frame[0].number == 2 else {
            waiting.removeValue(forKey: id)?.resume(returning: frame)
            return
        }
        let action = frame[2].string ?? ""
        calls.append(Call(action: action, payload: frame[3]))
        client.send(answers[action].map { #"[3,"\#(id)",\#($0)]"# } ?? #"[4,"\#(id)","NotImplemented","",{}]"#)
    }

    private func end() {
        isOver = true
        for continuation in waiting.values { continuation.resume(returning: .null) }
        waiting = [:]
    }
}

extension VirtualCharger {
    /// Says that it has started.
    @discardableResult
    func boot() async -> JSONValue {
        await call(
            "BootNotification", #"{"chargePointVendor":"Acme","chargePointModel":"Box","firmwareVersion":"1.2"}"#)
    }

    /// Says what its connector does.
    func say(_ status: String, at time: Date? = nil, connector: Int = 1, errorCode: String = "NoError") async {
        let stamp = time.map { #","timestamp":"\#($0.formatted(.iso8601))""# } ?? ""
        await call(
            "StatusNotification",
            #"{"connectorId":\#(connector),"status":"\#(status)","errorCode":"\#(errorCode)"\#(stamp)}"#)
    }

    /// Begins a transaction.
    /// - Returns: its number.
    func start(meter: Int, at time: Date) async -> Int {
        let answer = await call(
            "StartTransaction",
            #"{"connectorId":1,"idTag":"CARD","meterStart":\#(meter),"timestamp":"\#(time.formatted(.iso8601))"}"#)
        return Int(answer[2]["transactionId"].number ?? 0)
    }

    /// Ends a transaction.
    @discardableResult
    func stop(_ id: Int, meter: Int, at time: Date) async -> JSONValue {
        await call(
            "StopTransaction",
            #"{"transactionId":\#(id),"meterStop":\#(meter),"timestamp":"\#(time.formatted(.iso8601))"}"#)
    }

    /// Sends meter values, each as `measurand=value unit`.
    func measure(_ values: [(String, String, String)], at time: Date, transaction: Int? = nil) async {
        let sampled = values.map { #"{"measurand":"\#($0.0)","value":"\#($0.1)","unit":"\#($0.2)"}"# }
        let id = transaction.map { #","transactionId":\#($0)"# } ?? ""
        await call(
            "MeterValues",
            #"{"connectorId":1\#(id),"meterValue":[{"timestamp":"\#(time.formatted(.iso8601))","sampledValue":[\#(sampled.joined(separator: ","))]}]}"#
        )
    }
}
