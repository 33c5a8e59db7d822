/// When an hour counts as a good one.
package enum GoodHour {
    /// Rated at most this, an hour is good enough to charge in without a goal.
    package static let worstRating = 0.35
}
