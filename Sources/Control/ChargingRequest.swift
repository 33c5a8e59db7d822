import EnergyKit
import Foundation
import HubKit
import Planning

/// Everything a charging plan is made from; turns guidance into priced slots and the planner's answer into a plan for
/// people.
struct ChargingRequest: Sendable {
    var guidance: ElectricityGuidance
    var venue: Venue
    var deviceID: DeviceID
    var now: Date
    var readyBy: Date
    var missingWattHours: Double
    var power: ChargerPower
    var running: [PlannedInterval]
    var carbonPricePerKg: Double
    /// What chargers that are served first mean to draw from the same connection.
    var reserved: [DevicePlan.Interval] = []
    /// What the sun is expected to give beyond what the house uses; absent where that is not known.
    var surplus: ExpectedSurplus?

    /// What the house draws where no forecast tells.
    var house = HouseLoad(watts: 0, uneven: UnevenLoad())

    /// The circuit it hangs on.
    var circuit: String?
    /// What the chargers of the home may draw together.
    var limits = HomeLimits()

    /// The plan that runs stays where another saves less than this, in the venue's currency.
    static let threshold = 0.001

    /// What a common plan leaves the house, in watts: a quarter more than usual, since what it draws beyond that takes time from
    /// the cars.
    var expectedHouseWatts: Double { max(0, house.watts) * 1.25 }

    /// The part of what a connection or a circuit leaves on the whole that cars get of it: currents are whole amps, cars
    /// take a little less than they are offered, and what a kettle took is not given back at once.
    static let usableShare = 0.95

    /// When the plan ends: a little earlier than asked, or just then.
    /// - Parameter isShared: whether others draw under the same limit: then what they and the house do unforeseen takes time
    ///   from this car too.
    func deadline(withMargin: Bool, isShared: Bool = false) -> Date {
        guard withMargin else { return readyBy }
        // A margin that shrank with the time that is left would be slept away: equally cheap plans begin late.
        let left = max(0, readyBy.timeIntervalSince(now))
        return readyBy.addingTimeInterval(-min((isShared ? 3 : 1) * margin + interruptionSeconds, left / 2))
    }

    /// Whether the plan that runs draws power for at least half of a time.
    func runs(_ from: Date, _ to: Date) -> Bool {
        let used = running.reduce(0.0) { $0 + max(0, min($1.end, to).timeIntervalSince(max($1.start, from))) }
        return used * 2 >= to.timeIntervalSince(from)
    }

    /// The plan that draws these powers, in kilowatts by the second at which each begins.
    /// - Parameters:
    ///   - others: the devices it was planned together with.
    ///   - isHurried: whether it can't wait for cheap hours.
    /// - Throws: `PlanningError` where the task has a fault.
    func plan(
        by deadline: Date, drawing powers: [Int: Double], beside others: [String], isHurried: Bool = false
    ) throws -> DevicePlan {
        var planned = try ChargingPlanner.plan(task(by: deadline, withMargin: false)) { powers[$0] ?? 0 }
        planned.facts.deadline = readyBy
        if isHurried { planned.facts.usesEverySlot = true }
        var plan = devicePlan(planned, planned.intervals)
        plan.reason += "; planned together with \(others.joined(separator: " and "))"
        return plan
    }

    /// The cheapest plan; cleaner hours win among equally cheap ones, later ones among those.
    func plan() -> DevicePlan {
        do {
            // A little earlier than asked: cars and the grid's voltage give a few percent less than was planned.
            var early = try ChargingPlanner.plan(task(by: deadline(withMargin: true), withMargin: true))
            guard early.unmetEnergyKWh > 0 else {
                // People know the time they asked for.
                early.facts.deadline = readyBy
                return devicePlan(early, settable(early, withMargin: true))
            }
            let planned = try ChargingPlanner.plan(task(by: readyBy, withMargin: false))
            guard planned.unmetEnergyKWh == 0 else { return devicePlan(planned, settable(planned, withMargin: false)) }
            // Where the time is enough only if nothing comes in between, nobody waits for a cheap hour.
            let hurried = try hurried()
            return devicePlan(hurried, settable(hurried, withMargin: false))
        } catch {
            return DevicePlan(
                deviceID: deviceID, venueID: venue.id, computedAt: now, token: guidance.guidanceToken, intervals: [],
                unmetWattHours: missingWattHours, reason: "no plan could be made: \(plainWords(of: error))")
        }
    }

    /// Seconds before the deadline by which the plan ends: a minute, and 2 % of the time that charging takes.
    private var margin: Double {
        60 + 0.02 * missingWattHours / max(power.maximumWatts, 1) * 3600
    }

    /// What the house's kettles take from the car in the time that charging takes, in seconds: the mean, and four standard
    /// deviations, as they come at random.
    private var interruptionSeconds: Double {
        guard let fuse = venue.connection else { return 0 }
        let free = (fuse.amps - expectedHouseWatts / 230 / Double(fuse.phases)) * Self.usableShare
        let wanted = min(power.maximumWatts / 230 / Double(power.phases), free)
        guard wanted > 0 else { return 0 }
        let charging = missingWattHours / (wanted * 230 * Double(power.phases)) * 3600
        let mean = 1 - house.uneven.usable(wanted, of: free) / wanted
        let variance = house.uneven.lostVariance(wanted, of: free)
        return charging * mean + 4 * (charging * Self.kettleSeconds * variance).squareRoot()
    }

    /// How long what the house draws on one phase lasts as a rule, with the minute in which it is not given back.
    private static let kettleSeconds = 300.0

    /// The plan that charges as soon and as fast as it can.
    private func hurried() throws -> ChargingPlan {
        let task = task(by: readyBy, withMargin: false)
        var left = missingWattHours / 1000
        var powers: [Int: Double] = [:]
        for slot in task.slots {
            let start = Int(max(slot.start, wholeSecond).timeIntervalSince1970.rounded(.up))
            let end = Int(min(slot.end, readyBy).timeIntervalSince1970.rounded(.down))
            guard end > start, left > 0 else { continue }
            let hours = Double(end - start) / 3600
            let power = min(power.maximumWatts / 1000, slot.maxPowerKW ?? .infinity, left / hours)
            powers[start] = power
            left -= power * hours
        }
        var planned = try ChargingPlanner.plan(task) { powers[$0] ?? 0 }
        planned.facts.usesEverySlot = true
        return planned
    }

    /// Any power down to nothing may be planned where all is bought.
    ///
    /// `ChargerPower.settable` turns what a car can't take into a shorter time, which costs the same. Of the sun a shorter
    /// time takes less.
    private func task(by deadline: Date, withMargin: Bool) -> ChargingTask {
        let need = missingWattHours / 1000
        return ChargingTask(
            slots: slots(withMargin: withMargin), now: wholeSecond, deadline: deadline, minEnergyKWh: need,
            maxEnergyKWh: need,
            ranges: [PowerRange(least(before: deadline), power.maximumWatts / 1000)], tieBreak: .latest,
            runningPlan: running, switchingThreshold: Self.threshold)
    }

    private func least(before deadline: Date) -> Double {
        let isSunny = surplus?.slots.contains { $0.watts > 0 && $0.end > now && $0.start < deadline } ?? false
        return isSunny ? leastKilowatts : 0
    }

    /// The least power to plan with; a need that is smaller than what a quarter of an hour takes at the least power of the
    /// car is met in a part of it.
    var leastKilowatts: Double { min(power.minimumWatts, power.maximumWatts, missingWattHours * 4) / 1000 }

    /// The planner counts whole seconds and would begin at the next one: charging that runs would then stop for it.
    var wholeSecond: Date { Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)) }

    /// What the plan goes by: money where it is known, else carbon, else the rating.
    private enum Basis { case price, carbon, rating }

    private var basis: Basis {
        if guidance.values.contains(where: { $0.pricePerKWh != nil }) { return .price }
        return guidance.values.contains { $0.gramsCO2PerKWh != nil } ? .carbon : .rating
    }

    /// The sun's power costs what it would have earned; where plans go by carbon or rating it is the best there is.
    var ownPrice: Double { basis == .price ? surplus?.feedInPerKWh ?? 0 : 0 }

    /// What a kilowatt-hour of a slot counts in the plan; `nil` where that is not known.
    func price(_ value: ElectricityGuidance.Value) -> Double? { price(value, basis) }

    private func slots(withMargin: Bool) -> [PricedSlot] {
        let basis = basis
        let own = ownPrice
        return guidance.values.flatMap { value -> [PricedSlot] in
            // A slot without its value is unknown, not free (field case G-14).
            guard let price = price(value, basis) else { return [] }
            return pieces(of: value.interval).map { piece in
                PricedSlot(
                    start: piece.start, end: piece.end, importPriceMicro: PlanUnits.micro(price),
                    secondary: Int64((value.gramsCO2PerKWh ?? value.rating * 1000).rounded()),
                    maxPowerKW: freeWatts(piece, withMargin: withMargin).map { $0 / 1000 },
                    surplusKW: surplusWatts(piece).map { $0 / 1000 }, surplusPriceMicro: PlanUnits.micro(own))
            }
        }
    }

    private func pieces(of interval: DateInterval) -> [DateInterval] { surplus?.pieces(of: interval) ?? [interval] }

    /// What the sun leaves for this charger beside those that are served first; `nil` where it leaves nothing or is not known.
    private func surplusWatts(_ piece: DateInterval) -> Double? {
        guard let expected = surplus?.slot(at: piece.start)?.watts else { return nil }
        let left = expected - takenWatts(piece)
        return left > 0 ? left : nil
    }

    private func price(_ value: ElectricityGuidance.Value, _ basis: Basis) -> Double? {
        let grams = value.gramsCO2PerKWh
        return switch basis {
        case .price: value.pricePerKWh.map { $0 + carbonPricePerKg * (grams ?? 0) / 1000 }
        case .carbon: grams.map { $0 / 1000 }
        case .rating: value.rating
        }
    }

    /// What connection and limits leave beside the chargers that are served first; `nil` where nothing limits it then.
    private func freeWatts(_ slot: DateInterval, withMargin: Bool) -> Double? {
        let taken = takenWatts(slot)
        let outside = limits.externalWatts(at: slot.start).map { $0 - taken }
        let beside = venue.connection.flatMap { taken > 0 ? $0.importWatts - taken : nil }
        let house = withMargin ? besideHouse(slot).flatMap { $0 < power.maximumWatts ? $0 : nil } : nil
        guard let free = [outside, beside, house].compactMap(\.self).min() else { return nil }
        return free < power.minimumWatts ? 0 : free
    }

    /// What the house is expected to leave on the phase that carries most, in watts of all phases that the car uses.
    private func besideHouse(_ slot: DateInterval) -> Double? {
        guard let fuse = venue.connection else { return nil }
        let net = max(0, surplus?.slot(at: slot.start)?.netWatts ?? expectedHouseWatts)
        let phase = fuse.amps * 230 - net / Double(fuse.phases)
        return max(0, phase) * Self.usableShare * Double(power.phases)
    }

    /// The most that chargers that are served first mean to draw at once in a slot.
    private func takenWatts(_ slot: DateInterval) -> Double {
        let overlapping = reserved.filter { $0.start < slot.end && slot.start < $0.end }
        // The fullest moment within the slot begins where some interval does.
        let moments = [slot.start] + overlapping.map(\.start).filter { $0 > slot.start }
        return moments.map { moment in
            overlapping.filter { $0.start <= moment && moment < $0.end }.reduce(0) { $0 + ($1.powerWatts ?? 0) }
        }.max() ?? 0
    }

    /// The plan's spans in currents that can be set.
    private func settable(_ planned: ChargingPlan, withMargin: Bool) -> [PlannedInterval] {
        let isRunning = running.contains { $0.start <= now } && planned.intervals.first?.start == wholeSecond
        return power.settable(
            planned.intervals, isRunning: isRunning,
            mostWatts: { freeWatts(DateInterval(start: $0.start, end: $0.end), withMargin: withMargin) },
            surplusWatts: { surplusWatts(DateInterval(start: $0.start, end: $0.end)) })
    }

    private func devicePlan(_ planned: ChargingPlan, _ spans: [PlannedInterval]) -> DevicePlan {
        var plan = planned
        plan.intervals = spans
        let intervals = plan.intervals.map {
            DevicePlan.Interval(start: $0.start, end: $0.end, powerWatts: $0.powerKW * 1000)
        }
        let totals = totals(intervals)
        var made = DevicePlan(
            deviceID: deviceID, venueID: venue.id, computedAt: now, token: guidance.guidanceToken, intervals: intervals,
            energyWattHours: plan.energyKWh * 1000, cost: totals.cost, gramsCO2: totals.grams,
            unmetWattHours: plan.unmetEnergyKWh * 1000, reason: sentence(plan))
        // The figure of the planner counts carbon as money where that has a price.
        if basis == .price, carbonPricePerKg == 0 {
            made.costIfStartedNow = planned.facts.costIfStartedNow.map { max($0, made.cost ?? $0) }
        }
        return made
    }

    /// Money and carbon of a plan from the guidance's own values; absent where a part of it is not known.
    ///
    /// What comes from the sun costs what it would have earned, and no carbon.
    private func totals(_ intervals: [DevicePlan.Interval]) -> (cost: Double?, grams: Double?) {
        var cost: Double? = 0
        var grams: Double? = 0
        for interval in intervals {
            for value in guidance.values {
                let from = max(interval.start, value.interval.start)
                let to = min(interval.end, value.interval.end)
                guard to > from else { continue }
                for piece in pieces(of: DateInterval(start: from, end: to)) {
                    let watts = interval.powerWatts ?? 0
                    let own = min(watts, surplusWatts(piece) ?? 0)
                    let bought = (watts - own) / 1000 * piece.duration / 3600
                    let earned = own / 1000 * piece.duration / 3600 * (surplus?.feedInPerKWh ?? 0)
                    cost = cost.flatMap { sum in value.pricePerKWh.map { sum + $0 * bought + earned } }
                    grams = grams.flatMap { sum in value.gramsCO2PerKWh.map { sum + $0 * bought } }
                }
            }
        }
        return (cost, grams)
    }

    private func sentence(_ plan: ChargingPlan) -> String {
        let wording = PlanWording(timeZone: venue.timeZone, currencyCode: venue.currency ?? "", now: now)
        let sentence = PlanExplanation.sentence(plan, wording)
        guard basis != .price else { return sentence }
        // Money in the planner's words is carbon or a rating here.
        let why = basis == .carbon ? "those are the cleanest hours" : "those are the best-rated hours"
        let spans = sentence.range(of: " because").map { String(sentence[..<$0.lowerBound]) }
        return spans.map { "\($0) because \(why)" } ?? sentence
    }
}
