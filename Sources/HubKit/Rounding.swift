extension Double {
    /// The number at so many decimal places, without the tail of digits that sums of binary fractions have.
    /// - Parameter places: digits behind the point, 0 to 12.
    package func rounded(toPlaces places: Int) -> Double {
        let scale = Self.powersOfTen[min(max(places, 0), Self.powersOfTen.count - 1)]
        let rounded = (self * scale).rounded() / scale
        return rounded.isFinite ? rounded : self
    }

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12]
}
