public import Foundation

/// A quantity that insights count: energy or running time.
public protocol ElectricityInsightMeasure {}

extension Measurement: ElectricityInsightMeasure where UnitType == UnitEnergy {}

extension Duration: ElectricityInsightMeasure {}

/// What a device used or how long it ran, in one period.
public struct ElectricityInsightRecord<Measure> where Measure: ElectricityInsightMeasure {
    /// The period, half-open.
    public let range: DateInterval
    /// The energy used or given; `nil` if it was not measured.
    public var totalEnergy: Measurement<UnitEnergy>?
    /// The time that the device ran; `nil` in a record about energy.
    public var totalRuntime: Duration?
    /// The total by the rate plan's classes, if it was asked for.
    public var dataByTariffPeak: TariffPeak?
    /// The total by how clean the grid was, if it was asked for.
    public var dataByGridCleanliness: GridCleanliness?

    init(recordOf range: DateInterval) {
        self.range = range
    }

    /// A total by the rate plan's classes.
    ///
    /// What is `nil` did not occur or is not known.
    public struct TariffPeak {
        /// In the cheapest hours.
        public var superOffPeak: Measure?
        /// In cheap hours.
        public var offPeak: Measure?
        /// In middling hours.
        public var partialPeak: Measure?
        /// In dear hours.
        public var onPeak: Measure?
        /// In the dearest hours.
        public var criticalPeak: Measure?
        /// While the class was not known.
        public var unknown: Measure?

        /// Makes a breakdown.
        public init(
            superOffPeak: Measure?, offPeak: Measure?, partialPeak: Measure?, onPeak: Measure?, criticalPeak: Measure?,
            unknown: Measure?
        ) {
            self.superOffPeak = superOffPeak
            self.offPeak = offPeak
            self.partialPeak = partialPeak
            self.onPeak = onPeak
            self.criticalPeak = criticalPeak
            self.unknown = unknown
        }
    }

    /// A total by how clean the grid was.
    ///
    /// What is `nil` did not occur or is not known.
    public struct GridCleanliness {
        /// In the cleanest periods.
        public var cleaner: Measure?
        /// In periods that were neither.
        public var lessClean: Measure?
        /// In periods that guidance advised to avoid.
        public var avoid: Measure?
        /// While the grid's carbon was not known.
        public var unknown: Measure?

        /// Makes a breakdown.
        public init(cleaner: Measure?, lessClean: Measure?, avoid: Measure?, unknown: Measure?) {
            self.cleaner = cleaner
            self.lessClean = lessClean
            self.avoid = avoid
            self.unknown = unknown
        }
    }
}

// Apple lists no conformances; without these the Swift 6 language mode refuses the service's results.
extension ElectricityInsightRecord: Sendable where Measure: Sendable {}
extension ElectricityInsightRecord.TariffPeak: Sendable where Measure: Sendable {}
extension ElectricityInsightRecord.GridCleanliness: Sendable where Measure: Sendable {}
