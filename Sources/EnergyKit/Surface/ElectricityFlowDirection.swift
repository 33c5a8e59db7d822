/// Which way electricity flows, seen from the home.
///
/// The raw value is the name in JSON.
public enum ElectricityFlowDirection: String, Codable, Equatable, Hashable, Sendable {
    /// The home receives electricity: charging a car, running a heat pump.
    case imported
    /// The home gives electricity: a car or a solar roof that feeds the grid.
    case exported
}
