/// Why a car charges or does not.
public enum ElectricVehicleChargingReason {
    /// Why a car charges.
    ///
    /// The raw value is the name in JSON.
    public enum ActiveReason: String, CaseIterable, Codable, Equatable, Hashable, Sendable {
        /// The grid is cleaner now.
        case cleanerEnergyAvailable
        /// Electricity is cheaper now.
        case lowerElectricityRatesAvailable
        /// A person started it.
        case userInitiated
        /// A person resumed it.
        case userResumed
        /// The schedule started it.
        case scheduledStart
        /// The schedule resumed it.
        case scheduledResume
        /// The grid operator's request to save is over.
        case demandResponseEnded
        /// The battery is warm or cool enough again.
        case batteryThermalManagementCompleted
        /// The battery's care is done.
        case batteryHealthManagementCompleted
        /// The charger's fault is gone.
        case chargerFaultCleared
        /// There is enough power again.
        case sufficientPowerRestored
        /// The circuit has room again.
        case loadBalancingCompleted
        /// Not known.
        case unknown
    }

    /// Why a connected car does not charge.
    ///
    /// The raw value is the name in JSON.
    public enum IdleReason: String, CaseIterable, Codable, Equatable, Hashable, Sendable {
        /// The state of charge that was asked for is reached.
        case targetStateOfChargeReached
        /// The battery is full.
        case batteryFull
        /// The car came with more than was asked for.
        case targetAlreadyReached
        /// The schedule ended it.
        case scheduledEnd
        /// The schedule paused it.
        case scheduledPause
        /// Waiting for a cleaner grid.
        case waitingForCleanerEnergy
        /// Waiting for cheaper electricity.
        case waitingForLowerElectricityRates
        /// A person paused it.
        case userPaused
        /// A person stopped it.
        case userStopped
        /// The charger has a fault.
        case chargerFault
        /// The grid operator asked to save.
        case demandResponseActive
        /// The battery is being warmed or cooled.
        case batteryThermalManagement
        /// The battery is being cared for.
        case batteryHealthManagement
        /// There is too little power.
        case insufficientPower
        /// Other loads need the circuit.
        case loadBalancing
        /// Not known.
        case unknown
    }
}
