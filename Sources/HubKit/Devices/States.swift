/// Whether a car hangs on the charger.
public enum PlugState: String, Sendable, Codable, CaseIterable {
    case unplugged, plugged
}

/// What the charger and the car do.
public enum ChargingState: String, Sendable, Codable, CaseIterable {
    /// Nothing flows: no car, paused, or the car is full.
    case idle
    /// The charger offers current and the car does not take any.
    case waiting
    /// Energy flows.
    case charging
    /// The charger reports a fault.
    case fault
}

/// What heating or cooling does.
public enum HVACMode: String, Sendable, Codable, CaseIterable {
    case off, idle, heating, cooling, hotWater, defrosting
}

/// How much load a heating or cooling device may draw.
public enum ReduceState: String, Sendable, Codable, CaseIterable {
    /// As it would by itself.
    case normal
    /// Blocked or reduced.
    case reduced
    /// Asked to take more than it would by itself.
    case boosted
    /// Made to run, whether it wants to or not: mode 4 of SG Ready.
    case forced
}
