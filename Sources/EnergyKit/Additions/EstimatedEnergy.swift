public import Foundation

extension ElectricVehicleLoadEvent.ElectricalMeasurement {
    /// Whether some of the energy was worked out from the power, because no counter measured it.
    ///
    /// An addition to Apple's surface. JSON has `energyEstimated` only where it is true.
    public var isEnergyEstimated: Bool { isEstimated }

    /// Makes a measurement that says where its energy is from.
    ///
    /// An addition to Apple's surface.
    /// - Parameters:
    /// - stateOfCharge: the battery's state of charge in percent, 0 to 100.
    /// - direction: whether the car charges or feeds back.
    /// - power: the power now, never negative.
    /// - energy: the energy since the session's begin, never negative.
    /// - performanceMetrics: what else the car told, if anything.
    /// - isEnergyEstimated: whether some of the energy was worked out from the power.
    public init(
        stateOfCharge: Int, direction: ElectricityFlowDirection, power: Measurement<UnitPower>,
        energy: Measurement<UnitEnergy>, performanceMetrics: PerformanceMetrics? = nil, isEnergyEstimated: Bool
    ) {
        self.init(
            stateOfCharge: stateOfCharge, direction: direction, power: power, energy: energy,
            metrics: performanceMetrics, isEstimated: isEnergyEstimated)
    }
}
