/// The class of a time of day in a tariff; a class that is not known is nil.
package enum TariffClass: String, Sendable, Codable, CaseIterable, Comparable {
    /// The cheapest, where a plan has more than one cheap time.
    case superOffPeak
    /// Cheap.
    case offPeak
    /// Between cheap and dear.
    case partialPeak
    /// Dear.
    case onPeak
    /// Dearest, called for a few hours a year.
    case criticalPeak

    /// Reads `superOffPeak`, and also `super_off_peak` and `super-off-peak` as configurations write it.
    package init?(name: String) {
        let plain = name.lowercased().replacing("_", with: "").replacing("-", with: "")
        guard let found = Self.allCases.first(where: { $0.rawValue.lowercased() == plain }) else { return nil }
        self = found
    }

    /// Orders classes from cheap to dear.
    package static func < (left: TariffClass, right: TariffClass) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
