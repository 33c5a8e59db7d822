/// How clean a time is, by the rating of its carbon part alone; where no carbon is known there is no class.
package enum CleanlinessClass: String, Sendable, Codable, CaseIterable {
    /// Among the cleanest times available.
    case cleaner
    /// Neither clean nor to be avoided.
    case lessClean
    /// Among the dirtiest times.
    case avoid
}

/// Where the classes of cleanliness begin; kept with each guidance, so that history does not shift when they are changed.
package struct CleanlinessThresholds: Sendable, Equatable, Codable {
    /// Ratings below this are `cleaner`.
    package var cleanerBelow: Double
    /// Ratings above this are `avoid`.
    package var avoidAbove: Double

    /// Makes thresholds between 0 and 1.
    package init(cleanerBelow: Double = 0.5, avoidAbove: Double = 0.9) {
        self.cleanerBelow = cleanerBelow
        self.avoidAbove = avoidAbove
    }

    /// The class of a carbon rating, nil for none.
    package func cleanliness(ofCarbonRating rating: Double?) -> CleanlinessClass? {
        guard let rating else { return nil }
        if rating < cleanerBelow { return .cleaner }
        return rating > avoidAbove ? .avoid : .lessClean
    }
}
