import Foundation
import HubKit

/// A house with a heat pump as one store of heat; its figures are not those that the hub assumes.
struct HeatedHouse: Sendable {
    var comfort = ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)
    /// Hours in which a difference from outside shrinks to 37 %.
    var timeConstantHours = 50.0
    /// Kelvin above outdoors that a kilowatt holds in the long run.
    var gainKelvinPerKW = 11.0
    var fullWatts = 3000.0

    var band: ClosedRange<Double> {
        comfort.setpointCelsius - comfort.comfortBandKelvin...comfort.setpointCelsius + comfort.comfortBandKelvin
    }

    /// The room after some seconds with a power.
    func room(after seconds: Double, from room: Double, watts: Double, outdoor: Double) -> Double {
        let target = outdoor + gainKelvinPerKW * watts / 1000
        return target + (room - target) * exp(-seconds / 3600 / timeConstantHours)
    }

    /// The temperature outside: the season, the hour, and each day's weather, which passes over slowly.
    static func outdoorCelsius(_ now: Date, _ chance: Chance) -> Double {
        let days = now.timeIntervalSince1970 / 86_400
        let season = 10 - 9 * cos(2 * .pi * (days / 365.25 - 0.04))
        let hour = days.truncatingRemainder(dividingBy: 1) * 24
        let number = UInt64(max(0, days)), share = days - Double(number)
        let weather = chance.value(number, 31) * (1 - share) + chance.value(number + 1, 31) * share
        return season + 3 * cos(2 * .pi * (hour - 14) / 24) + 10 * (weather - 0.5)
    }

    /// Degree-hours outside the band that are the heat pump's part: a room that is too cold, or heated above.
    func discomfort(_ room: Double, watts: Double, seconds: Double) -> Double {
        let cold = max(0, band.lowerBound - room), warm = watts > 0 ? max(0, room - band.upperBound) : 0
        return (cold + warm) * seconds / 3600
    }
}

/// The thermostat of a heat pump, with what it is told.
struct Thermostat: Sendable {
    var room: Double
    private(set) var isOn = false

    init(_ house: HeatedHouse) { room = house.comfort.setpointCelsius }

    /// Runs for some seconds.
    /// - Returns: the power it drew, in watts.
    mutating func run(_ house: HeatedHouse, _ order: ReduceState, seconds: Double, outdoor: Double) -> Double {
        let aim = house.comfort.setpointCelsius + (order == .boosted ? house.comfort.comfortBandKelvin - 0.2 : 0)
        if room < aim - 0.1 { isOn = true }
        if room > aim + 0.1 { isOn = false }
        // Locked, as by a grid operator's contact.
        if order == .reduced { isOn = false }
        let watts = isOn ? house.fullWatts : 0
        room = house.room(after: seconds, from: room, watts: watts, outdoor: outdoor)
        return watts
    }
}
