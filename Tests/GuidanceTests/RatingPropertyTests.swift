import Foundation
import Guidance
import Testing

/// What must hold of every rating, over random homes: prices and carbon of different steps, with ties, spikes, gaps and negative values.
@Suite struct RatingPropertyTests {
    struct Home {
        var price: EnergySeries
        var carbon: EnergySeries
        let horizon: Range<Date>
        var model = RatingModel()

        init(seed: Int) throws {
            var numbers = SeededNumbers(seed: seed)
            let start = try at("2026-01-05T00:00:00Z")
            horizon = start..<start.addingTimeInterval(Double(Int.random(in: 8...48, using: &numbers)) * 3600)
            price = try Self.signal(euros, scale: 0.3, start, &numbers)
            carbon = try Self.signal(grams, scale: 400, start, &numbers)
            model.weights = RatingWeights(
                price: Double.random(in: 0.1...1, using: &numbers), carbon: Double.random(in: 0.1...1, using: &numbers))
        }

        private static func signal(
            _ kind: EnergySeries.Kind, scale: Double, _ start: Date, _ numbers: inout SeededNumbers
        ) throws -> EnergySeries {
            let minutes = [15, 30, 60, 180].randomElement(using: &numbers) ?? 60
            let hasTies = Bool.random(using: &numbers)
            let slots = (0..<(48 * 60 / minutes)).compactMap { index -> EnergySeries.Slot? in
                guard Double.random(in: 0..<1, using: &numbers) > 0.05 else { return nil }
                var value = Double.random(in: -0.3...1, using: &numbers)
                if hasTies { value = (value * 4).rounded() / 4 }
                if Double.random(in: 0..<1, using: &numbers) < 0.03 { value *= 10 }
                return .init(
                    start: start.addingTimeInterval(Double(index * minutes) * 60),
                    end: start.addingTimeInterval(Double((index + 1) * minutes) * 60), value: value * scale)
            }
            return try EnergySeries(kind: kind, slots: slots)
        }

        func rated() -> [RatingModel.RatedSlot] { model.rate(price: price, carbon: carbon, over: horizon).slots }

        /// The rating at every minute of an hour's fifth minute, by instant.
        func sampled() -> [Double?] {
            let slots = rated()
            return stride(from: 0.0, to: horizon.upperBound.timeIntervalSince(horizon.lowerBound), by: 300).map {
                offset in
                let instant = horizon.lowerBound.addingTimeInterval(offset)
                return slots.first { $0.start <= instant && instant < $0.end }?.rating
            }
        }
    }

    static let seeds = 0..<60

    private func expectEqual(_ left: [Double?], _ right: [Double?], within tolerance: Double) {
        #expect(left.count == right.count)
        for (one, other) in zip(left, right) {
            switch (one, other) {
            case (nil, nil): continue
            case (let one?, let other?): if abs(one - other) > tolerance { Issue.record("\(one) against \(other)") }
            default: Issue.record("\(String(describing: one)) against \(String(describing: other))")
            }
        }
    }

    @Test(arguments: seeds) func staysInsideZeroToOne(seed: Int) throws {
        #expect(try Home(seed: seed).rated().allSatisfy { (0...1).contains($0.rating) })
    }

    @Test(arguments: seeds) func cheaperAndCleanerNeverRatesWorse(seed: Int) throws {
        let slots = try Home(seed: seed).rated()
        for one in slots {
            guard let price = one.price, let carbon = one.carbon else { continue }
            for other in slots {
                guard let otherPrice = other.price, let otherCarbon = other.carbon else { continue }
                if price < otherPrice, carbon < otherCarbon, one.rating > other.rating {
                    Issue.record("\(one) rates worse than \(other)")
                }
            }
        }
    }

    @Test(arguments: seeds, [(0.5, 0.2), (3, -0.4), (1, 10)])
    func anAffineChangeChangesNothing(seed: Int, change: (factor: Double, add: Double)) throws {
        let home = try Home(seed: seed)
        var changed = home
        changed.price = home.price.mapValues { $0 * change.factor + change.add }
        let scales = [home, changed].compactMap {
            $0.model.rate(price: $0.price, carbon: nil, over: $0.horizon).priceScale
        }
        // Only while the spread stays above the floor: below it, differences are meant to fade.
        guard scales.count == 2, scales.allSatisfy({ $0.high - $0.low > $0.floor && $0.contrast == 1 }) else { return }
        expectEqual(home.sampled(), changed.sampled(), within: 1e-9)
    }

    @Test(arguments: seeds) func aTinyChangeMovesNothingMuch(seed: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        let home = try Home(seed: seed)
        var changed = home
        changed.price = home.price.mapValues { $0 + Double.random(in: -1e-6...1e-6, using: &numbers) }
        expectEqual(home.sampled(), changed.sampled(), within: 1e-4)
    }

    @Test(arguments: seeds, [60, 15, 5]) func refiningSlotsChangesNothing(seed: Int, minutes: Int) throws {
        let home = try Home(seed: seed)
        var refined = home
        refined.price = try Self.cut(home.price, everyMinutes: minutes)
        refined.carbon = try Self.cut(home.carbon, everyMinutes: minutes)
        expectEqual(home.sampled(), refined.sampled(), within: 1e-9)
    }

    private static func cut(_ series: EnergySeries, everyMinutes minutes: Int) throws -> EnergySeries {
        let step = Double(minutes) * 60
        return try EnergySeries(
            kind: series.kind,
            slots: series.slots.flatMap { slot in
                stride(from: 0.0, to: slot.seconds, by: step).map { offset in
                    EnergySeries.Slot(
                        start: slot.start.addingTimeInterval(offset),
                        end: min(slot.end, slot.start.addingTimeInterval(offset + step)), value: slot.value)
                }
            })
    }

    @Test(arguments: seeds) func aFlatTariffDoesNotDiluteCarbon(seed: Int) throws {
        var home = try Home(seed: seed)
        home.price = try EnergySeries(
            kind: euros, slots: [.init(start: home.horizon.lowerBound, end: home.horizon.upperBound, value: 0.3)])
        let alone = home.model.rate(price: nil, carbon: home.carbon, over: home.horizon).slots
        for slot in home.rated() where slot.carbon != nil {
            let other = try #require(alone.first { $0.start <= slot.start && slot.start < $0.end })
            #expect(abs(slot.rating - other.rating) < 1e-12)
        }
    }

    @Test(arguments: seeds) func oneOutlierDoesNotFlattenTheRest(seed: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        let model = RatingModel(weights: RatingWeights(price: 1, carbon: 0))
        let values = (0..<48).map { _ in Double.random(in: 0.1...0.4, using: &numbers) }
        let plain = try series(values)
        var spiked = values
        spiked[Int.random(in: 0..<48, using: &numbers)] = 50
        let horizon = try span("2026-01-05T00:00:00Z", "2026-01-07T00:00:00Z")
        let before = model.rate(price: plain, carbon: nil, over: horizon).slots
        let after = model.rate(price: try series(spiked), carbon: nil, over: horizon).slots
        for (one, other) in zip(before, after) where other.price != 50 { #expect(abs(one.rating - other.rating) < 0.2) }
        let rest = after.filter { $0.price != 50 }.map(\.rating)
        #expect(try #require(rest.max()) - #require(rest.min()) > 0.9)
    }

    @Test(arguments: seeds) func negativePricesRateLikeTheSameShiftedAboveZero(seed: Int) throws {
        let home = try Home(seed: seed)
        let least = try #require(home.price.slots.map(\.value).min())
        var shifted = home
        // A shift moves the floor as well, so take one that keeps the range far above it.
        shifted.price = home.price.mapValues { $0 - least }
        let scales = [home, shifted].compactMap {
            $0.model.rate(price: $0.price, carbon: nil, over: $0.horizon).priceScale
        }
        guard scales.allSatisfy({ $0.high - $0.low > $0.floor && $0.contrast == 1 }) else { return }
        expectEqual(home.sampled(), shifted.sampled(), within: 1e-9)
    }

    @Test(arguments: seeds) func orderOfSlotsDoesNotMatter(seed: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        let home = try Home(seed: seed)
        var shuffled = home
        shuffled.price = try EnergySeries(kind: euros, slots: home.price.slots.shuffled(using: &numbers))
        shuffled.carbon = try EnergySeries(kind: grams, slots: home.carbon.slots.shuffled(using: &numbers))
        #expect(home.rated() == shuffled.rated())
    }

    @Test(arguments: seeds) func orderOfSourcesDoesNotMatter(seed: Int) throws {
        let home = try Home(seed: seed)
        // The same two signals the other way round, each with its own weight and floor.
        var swapped = home
        (swapped.price, swapped.carbon) = (home.carbon, home.price)
        swapped.model.weights = RatingWeights(price: home.model.weights.carbon, carbon: home.model.weights.price)
        swapped.model.floors = RatingFloors(
            pricePerKWh: home.model.floors.gramsCO2PerKWh, gramsCO2PerKWh: home.model.floors.pricePerKWh)
        expectEqual(home.sampled(), swapped.sampled(), within: 1e-12)
    }

    @Test func aMissingSideIsNeutralAndAMissingBothIsNothing() throws {
        let price = try series([0.1, nil, 0.5, nil])
        let carbon = try series(grams, [100, 100, nil, nil])
        let model = RatingModel(weights: RatingWeights(price: 1, carbon: 1))
        let wide = try series(grams, [100, 100, nil, nil, 500])
        let horizon = try span("2026-01-05T00:00:00Z", "2026-01-06T00:00:00Z")
        #expect(model.rate(price: price, carbon: carbon, over: horizon).slots.count == 3)
        let slots = model.rate(price: price, carbon: wide, over: horizon).slots
        // Only carbon, at its cleanest: half of the rating is neutral.
        #expect(slots[1].rating == 0.25)
        #expect(slots[2].rating == 0.75)
        #expect(slots.count == 4)
    }

    @Test func twoDaysOfQuarterHoursAreRatedInNoTime() throws {
        var numbers = SeededNumbers(seed: 1)
        let price = try series(minutes: 15, (0..<192).map { _ in Double.random(in: 0...1, using: &numbers) })
        let carbon = try series(grams, minutes: 15, (0..<192).map { _ in Double.random(in: 50...500, using: &numbers) })
        let horizon = try span("2026-01-05T00:00:00Z", "2026-01-07T00:00:00Z")
        let clock = ContinuousClock()
        let spent = (0..<20).map { _ in
            clock.measure { _ = RatingModel().rate(price: price, carbon: carbon, over: horizon) }
        }
        // Far above the release time (under 0.2 ms): debug builds on a busy machine must pass, a quadratic loop must not.
        #expect(try #require(spent.min()) < .milliseconds(60))
    }
}
