/// How a charger of OCPP is known: it connects to the hub, not the hub to it.
public struct OCPPConnection: Sendable, Equatable, Hashable, CustomStringConvertible {
    /// The name at the end of the address that the charger connects to.
    public var chargePoint: String
    /// The password it has to give; without one, anyone in the network may pass for it.
    public var password: String?
    /// The connector, counted from 1.
    public var connector = 1
    /// Whether the hub begins transactions itself when it wants a car to charge that nobody showed a card for.
    public var startsRemotely = true

    /// Names a charger.
    public init(chargePoint: String, password: String? = nil) {
        self.chargePoint = chargePoint
        self.password = password
    }

    /// The name, without the secret.
    public var description: String { "OCPP \(chargePoint)" }
}
