public import Foundation

// Apple's venue has an id and a name and no public initialiser. These are additions.
extension EnergyVenue {
    /// Makes a venue; for those who serve venues, not for apps.
    /// - Parameters:
    ///   - id: the lasting identifier.
    ///   - name: the home's name.
    ///   - timeZone: the zone in which the venue's days begin and end.
    ///   - homeID: the identifier of the same home in another home system.
    ///   - currency: the ISO 4217 code in which the venue's prices are given.
    public init(id: UUID, name: String, timeZone: TimeZone, homeID: UUID? = nil, currency: String? = nil) {
        self.init(id: id, name: name, details: Details(timeZone: timeZone, homeID: homeID, currency: currency))
    }

    /// The zone in which the venue's days begin and end.
    ///
    /// An addition to Apple's surface.
    public var timeZone: TimeZone { details.timeZone }

    /// The identifier of the same home in another home system, if known.
    ///
    /// An addition to Apple's surface.
    public var homeID: UUID? { details.homeID }

    /// The ISO 4217 code of the venue's prices, if known.
    ///
    /// An addition to Apple's surface.
    public var currency: String? { details.currency }
}
