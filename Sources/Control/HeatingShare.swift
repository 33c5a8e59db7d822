import HubKit

/// What a limit from outside leaves to one device that heats or cools.
struct HeatingShare: Equatable, Sendable {
    /// The most it may draw, in watts, where it can be told; nothing where it can't.
    var watts: Double?
    /// Whether it may not run, since nothing smaller than a lock keeps it within the limit.
    var isLocked = false
    /// Why it is locked, in words.
    var reason = ""
}

/// What a limit from outside leaves to heating and cooling of a home, and what they take of it; pure.
///
/// Rooms come before cars. What can't be held is counted with what it draws. A device that can be limited takes what is
/// left, or is locked where that is below its least; one that can only be locked runs where its whole power fits. Without a
/// word from outside nothing is locked: comfort is not broken by a lost connection.
struct HeatingShares: Equatable, Sendable {
    /// By device, for those that a limit can be kept with.
    private(set) var shares: [DeviceID: HeatingShare] = [:]
    /// What they draw of the limit now, in watts.
    private(set) var drawnWatts = 0.0
    /// What they may draw of it in a moment, in watts: what is left beside that is for heating rods.
    private(set) var reservedWatts = 0.0
    /// Below this room temperature nothing is locked, in °C.
    static let frostCelsius = 10.0

    /// Works it out.
    /// - Parameters:
    ///   - pumps: heating and cooling of the home; the first comes first.
    ///   - limits: the limit from outside.
    ///   - seen: the most each was seen to draw, in watts.
    init(_ pumps: [DeviceState], _ limits: HomeLimits, seen: [DeviceID: Double] = [:]) {
        guard let limit = limits.externalWatts else { return }
        var left = limit
        // A heating rod draws nothing but what it is offered, of what is left beside all others.
        let pumps = pumps.filter { $0.capabilities.hvac?.drawsOnlySurplus == false }
        for pump in pumps where !Self.canBeHeld(pump) {
            let drawn = max(0, pump.reading?.powerWatts ?? 0)
            drawnWatts += drawn
            reservedWatts += drawn
            left = max(0, left - drawn)
        }
        for pump in pumps where Self.canBeHeld(pump) {
            guard let hvac = pump.capabilities.hvac else { continue }
            let id = pump.configuration.id
            let full = hvac.fullPowerWatts ?? seen[id]
            let share = Self.share(hvac, full: full, left: left, limits, room: pump.reading?[.roomCelsius])
            shares[id] = share
            guard !share.isLocked else { continue }
            let most = share.watts ?? .infinity
            let drawn = pump.reading?.powerWatts.map { max(0, $0) } ?? full ?? share.watts ?? 0
            drawnWatts += min(drawn, most)
            reservedWatts += min(full ?? share.watts ?? drawn, most)
            // It may draw all of that in a moment, which the next pump can't know.
            left = max(0, left - min(full ?? drawn, most))
        }
    }

    private static func canBeHeld(_ pump: DeviceState) -> Bool {
        guard let hvac = pump.capabilities.hvac else { return false }
        return hvac.powerLimitWatts != nil || hvac.reduce.contains(.reduced)
    }

    private static func share(
        _ hvac: HVACCapabilities, full: Double?, left: Double, _ limits: HomeLimits, room: Double?
    ) -> HeatingShare {
        let canLock = hvac.reduce.contains(.reduced) && !limits.isFailSafe && room.map { $0 >= frostCelsius } ?? true
        if let range = hvac.powerLimitWatts {
            guard left < range.lowerBound, canLock else {
                return HeatingShare(watts: min(max(left, range.lowerBound), range.upperBound))
            }
            return HeatingShare(
                watts: range.lowerBound, isLocked: true, reason: "locked by \(limits.externalName)")
        }
        guard canLock else { return HeatingShare() }
        guard let full else {
            return HeatingShare(
                isLocked: true, reason: "locked by \(limits.externalName), since nobody knows how much it draws")
        }
        return full <= left
            ? HeatingShare() : HeatingShare(isLocked: true, reason: "locked by \(limits.externalName)")
    }
}
