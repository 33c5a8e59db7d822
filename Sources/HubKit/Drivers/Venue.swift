public import Foundation

/// A home as the hub knows it.
public struct Venue: Sendable, Equatable, Identifiable {
    /// The stable identifier that EnergyKit, the API and the store use.
    public let id: UUID
    /// What its people call it.
    public let name: String
    /// The zone of its wall clock: days, tariffs and deadlines are meant in it.
    public let timeZone: TimeZone
    /// The ISO 4217 code of the currency its prices are in, where there are prices.
    public let currency: String?
    /// HomeKit's identifier of the home, where one was given.
    public let homeID: UUID?
    /// The connection to the grid.
    public let connection: GridConnection?
    /// Where it is, for sources that need to know.
    public let location: Location?

    /// Makes a venue.
    public init(
        id: UUID, name: String, timeZone: TimeZone, currency: String? = nil, homeID: UUID? = nil,
        connection: GridConnection? = nil, location: Location? = nil
    ) {
        self.id = id
        self.name = name
        self.timeZone = timeZone
        self.currency = currency
        self.homeID = homeID
        self.connection = connection
        self.location = location
    }
}

/// The fuse between a home and the grid.
public struct GridConnection: Sendable, Equatable {
    /// 1 or 3.
    public let phases: Int
    /// The rating of each phase in amps.
    public let amps: Double
    /// The most that may be fed in, in watts; absent where nothing limits it.
    public let exportWatts: Double?

    /// Makes a connection.
    public init(phases: Int, amps: Double, exportWatts: Double? = nil) {
        self.phases = phases
        self.amps = amps
        self.exportWatts = exportWatts
    }

    /// The most it carries for import in watts, at 230 V between phase and neutral.
    public var importWatts: Double { Double(phases) * amps * 230 }
}

/// A place on earth in degrees.
public struct Location: Sendable, Equatable {
    /// Degrees north.
    public let latitude: Double
    /// Degrees east.
    public let longitude: Double

    /// Makes a place.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// All venues of the hub; it does not change while the hub runs.
public struct VenueRegistry: Sendable {
    /// The venues in the order of the configuration.
    public let all: [Venue]
    private let byID: [UUID: Venue]

    /// Registers the venues.
    public init(_ venues: [Venue]) {
        all = venues
        byID = Dictionary(venues.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The venue with this identifier.
    public subscript(id: UUID) -> Venue? { byID[id] }

    /// The venue of a HomeKit home.
    public func venue(homeID: UUID) -> Venue? { all.first { $0.homeID == homeID } }
}
