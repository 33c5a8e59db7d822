import Foundation

extension Double {
    /// The number at so many decimal places, without the tail of digits that sums of binary fractions have.
    /// - Parameter places: digits behind the point, 0 to 12.
    package func rounded(toPlaces places: Int) -> Double {
        let scale = pow(10, Double(places))
        let rounded = (self * scale).rounded() / scale
        return rounded.isFinite ? rounded : self
    }
}
