public import Foundation

extension UnitEnergy {
    /// The units of energy that load events are given in.
    ///
    /// Apple's is a subclass of `UnitEnergy`; on Linux that class is final, so this is a namespace. Both spellings
    /// work: `.EnergyKit.milliwattHours` where a unit of energy is expected, and `UnitEnergy.EnergyKit.milliwattHours`.
    public enum EnergyKit {
        /// A thousandth of a watt-hour: 3.6 joules.
        public static let milliwattHours = UnitEnergy(
            symbol: "mWh", converter: UnitConverterLinear(coefficient: 3.6))

        /// A watt-hour: 3 600 joules.
        ///
        /// An addition to Apple's surface.
        public static let wattHours = UnitEnergy(
            symbol: "Wh", converter: UnitConverterLinear(coefficient: 3_600))
    }
}
