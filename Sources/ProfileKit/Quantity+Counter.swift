package import HubKit

extension Quantity {
    /// Whether it is a counter that only ever grows in a healthy device.
    package var isCounter: Bool {
        switch self {
        case .importWattHours, .exportWattHours, .sessionWattHours: true
        default: false
        }
    }
}
