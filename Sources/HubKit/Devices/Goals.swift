public import Foundation

/// What a person wants of a car's battery, and by when.
public struct ChargingGoal: Sendable, Equatable {
    /// How much, counted one way or the other.
    public enum Amount: Sendable, Equatable {
        /// Energy at the meter from the moment the goal was set, in watt-hours.
        case energy(wattHours: Double)
        /// The battery's charge in percent.
        case stateOfCharge(percent: Double)
    }

    /// How much.
    public var amount: Amount
    /// When it has to be there.
    public var readyBy: Date
    /// Whether the same time of day holds for the days after.
    public var repeatsDaily: Bool
    /// The least current to charge with in solar mode, in amps; absent lets it pause.
    public var minimumAmps: Double?
    /// When the goal was set: energy counts from here.
    public var setAt: Date

    /// Makes a goal.
    public init(
        amount: Amount, readyBy: Date, repeatsDaily: Bool = false, minimumAmps: Double? = nil, setAt: Date
    ) {
        self.amount = amount
        self.readyBy = readyBy
        self.repeatsDaily = repeatsDaily
        self.minimumAmps = minimumAmps
        self.setAt = setAt
    }
}

/// What a person wants of a device.
public enum DeviceGoal: Sendable, Equatable {
    case charge(ChargingGoal)
    case comfort(ComfortGoal)
}

/// Which guidance a device works under, as the controller last decided.
public struct FollowedGuidance: Sendable, Equatable {
    /// The token of the guidance in force for this device.
    public var token: UUID
    /// Whether what the device does now is what the plan made from that guidance.
    public var isFollowing: Bool

    /// Makes a statement.
    public init(token: UUID, isFollowing: Bool) {
        self.token = token
        self.isFollowing = isFollowing
    }
}
