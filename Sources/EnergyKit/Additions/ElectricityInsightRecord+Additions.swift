public import Foundation

// Apple's record has no public initialiser. This is an addition.
extension ElectricityInsightRecord {
    /// Makes a record; for those who serve insights, not for apps.
    /// - Parameters:
    ///   - range: the period, half-open.
    ///   - totalEnergy: the energy used or given.
    ///   - totalRuntime: the time that the device ran.
    ///   - dataByTariffPeak: the total by tariff class.
    ///   - dataByGridCleanliness: the total by cleanliness.
    public init(
        range: DateInterval, totalEnergy: Measurement<UnitEnergy>? = nil, totalRuntime: Duration? = nil,
        dataByTariffPeak: TariffPeak? = nil, dataByGridCleanliness: GridCleanliness? = nil
    ) {
        self.init(recordOf: range)
        self.totalEnergy = totalEnergy
        self.totalRuntime = totalRuntime
        self.dataByTariffPeak = dataByTariffPeak
        self.dataByGridCleanliness = dataByGridCleanliness
    }
}
