import Foundation

/// A house as one store of heat that loses warmth in proportion to the difference from outside.
///
/// `dT/dt = (outdoor + sign · gain · power − T) / timeConstant`: the textbook first-order model, solved exactly for
/// constant power. `sign` is +1 when heating and −1 when cooling.
package struct HouseModel: Sendable, Hashable {
    /// Hours in which a difference from outside shrinks to 37 % without heating.
    package var timeConstantHours: Double
    /// Kelvin above outdoors that one kilowatt of electric power holds in the long run.
    package var gainKelvinPerKW: Double
    /// Electric power at full output.
    package var fullPowerKW: Double
    /// Electric power while reduced; 0 where the device is locked.
    package var reducedPowerKW: Double
    /// Whether the device heats or cools.
    package var purpose: Purpose

    /// What the device does to the room.
    package enum Purpose: Sendable, Hashable {
        /// It warms the room.
        case heating
        /// It cools the room.
        case cooling
    }

    /// Creates a model; the defaults are a mid-sized insulated house until its own history has taught better.
    package init(
        timeConstantHours: Double = 40, gainKelvinPerKW: Double = 12, fullPowerKW: Double = 3,
        reducedPowerKW: Double = 0, purpose: Purpose = .heating
    ) {
        self.timeConstantHours = timeConstantHours
        self.gainKelvinPerKW = gainKelvinPerKW
        self.fullPowerKW = fullPowerKW
        self.reducedPowerKW = reducedPowerKW
        self.purpose = purpose
    }

    /// Whether every figure can be computed with.
    var isUsable: Bool {
        [timeConstantHours, gainKelvinPerKW, fullPowerKW].allSatisfy { $0 > 0 && $0.isFinite }
            && reducedPowerKW >= 0 && reducedPowerKW < fullPowerKW
    }
}

/// A room's comfort along time: kelvin on the good side of the setpoint (warmer when heating, cooler when cooling).
struct ComfortTrack {
    let house: HouseModel
    /// Comfort now.
    var comfort: Double

    enum Operation {
        case normal
        case reduced
        case boosted(upTo: Double)
    }

    /// The electric power that holds the setpoint, within what the device can give.
    func holdingPowerKW(outside: Double) -> Double {
        min(max(-outside / house.gainKelvinPerKW, 0), house.fullPowerKW)
    }

    /// Moves on by some hours; `outside` is the outdoor temperature's comfort, constant for the time.
    mutating func advance(_ operation: Operation, hours: Double, outside: Double) {
        switch operation {
        case .reduced:
            // A thermostat gives no more than what holds the setpoint, so a mild day reduces nothing.
            drift(
                hours, outside,
                comfort < 0 ? house.reducedPowerKW : min(house.reducedPowerKW, holdingPowerKW(outside: outside)))
        case .boosted(let ceiling): approach(ceiling, hours, outside)
        case .normal: approach(0, hours, outside)
        }
    }

    /// Full power up to a level, none above it, and what holds it from then on.
    private mutating func approach(_ level: Double, _ hours: Double, _ outside: Double) {
        let power = comfort < level ? house.fullPowerKW : 0
        let target = outside + house.gainKelvinPerKW * power
        let crosses = comfort < level ? target > level : comfort > level && target < level
        guard crosses else { return comfort == level ? hold(level, hours, outside) : drift(hours, outside, power) }
        let needed = house.timeConstantHours * log((comfort - target) / (level - target))
        if needed >= hours { return drift(hours, outside, power) }
        comfort = level
        hold(level, hours - needed, outside)
    }

    private mutating func hold(_ level: Double, _ hours: Double, _ outside: Double) {
        let needed = (level - outside) / house.gainKelvinPerKW
        drift(hours, outside, min(max(needed, 0), house.fullPowerKW))
    }

    private mutating func drift(_ hours: Double, _ outside: Double, _ power: Double) {
        let target = outside + house.gainKelvinPerKW * power
        comfort = target + (comfort - target) * exp(-hours / house.timeConstantHours)
    }
}
