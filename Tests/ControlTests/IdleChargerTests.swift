import Foundation
import HubKit
import Testing

@testable import Control

/// Chargers that nobody draws from leave the connection to those that do.
@Suite struct IdleChargerTests {
    let start: Date
    let venue: Venue

    init() throws {
        start = try utc("2026-11-30T18:00:00Z")
        venue = Venue(
            id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR", connection: GridConnection(phases: 3, amps: 20))
    }

    private func minutes(_ count: Double) -> Date { start.addingTimeInterval(count * 60) }

    /// What both chargers get; `busy` charges, the other does what is said.
    private func amps(
        _ controls: inout [DeviceID: ChargerControl], _ idle: DeviceReading, busyAmps: Double, at now: Date
    ) throws -> [DeviceID: Double] {
        let own = Array(repeating: busyAmps, count: 3)
        let readings: [DeviceID: DeviceReading] = [
            "busy": charger(now, watts: busyAmps * 690, amps: own), "idle": idle,
        ]
        let house = grid(now, amps: own.map { $0 + 1 }, watts: busyAmps * 690 + 690)
        let inputs = try readings.keys.sorted().map { id in
            let lab = ChargerLab(at: now, id: id)
            lab.board.post(try #require(readings[id]), for: id)
            return TickInputs(
                now: now, device: try #require(lab.board[id]), venue: venue, grid: house,
                guidance: guidance(from: start, prices: [0.1, 0.1], ratings: [0.1, 0.1]), carbonPricePerKg: 0)
        }
        let tick = ChargerTick(&controls, inputs, SharedPlanning())
        return Dictionary(uniqueKeysWithValues: tick.outcomes.map { ($0.id, $0.decision.amps ?? -1) })
    }

    private static func guided() -> DeviceUse {
        var use = DeviceUse()
        use.mode = .guided
        return use
    }

    @Test("a charger without a car takes no share, in any mode", arguments: [DeviceUse.mode(.now), guided()])
    func withoutACar(use: DeviceUse) throws {
        var controls: [DeviceID: ChargerControl] = [
            "busy": ChargerControl(use: .mode(.now)), "idle": ChargerControl(use: use),
        ]
        for minute in 0..<4 {
            let now = minutes(Double(minute))
            let got = try amps(
                &controls, charger(now, plug: .unplugged, amps: [0, 0, 0]), busyAmps: minute == 0 ? 0 : 16, at: now)
            #expect(got["busy"] == 16, "minute \(minute): \(got)")
            // Three amps are left, less than a car charges with.
            #expect(got["idle"] == 0)
        }
    }

    @Test func aCarThatTakesNothingForMinutesLeavesItsShareAndGetsItBackOnceItDraws() throws {
        var controls: [DeviceID: ChargerControl] = [
            "busy": ChargerControl(use: .mode(.now)), "idle": ChargerControl(use: .mode(.now)),
        ]
        var busy = 0.0
        for minute in 0...8 {
            let now = minutes(Double(minute))
            let got = try amps(&controls, charger(now, amps: [0, 0, 0]), busyAmps: busy, at: now)
            busy = got["busy"] ?? 0
            // 19 A for two.
            if minute < 5 { #expect(busy == 9 || busy == 10, "minute \(minute): \(got)") }
        }
        #expect(busy == 16)
        for minute in 9...11 {
            let now = minutes(Double(minute))
            busy =
                try amps(&controls, charger(now, watts: 4140, amps: [6, 6, 6]), busyAmps: busy, at: now)["busy"] ?? 0
        }
        #expect(busy < 14)
    }

    @Test func theReasonSaysThatTheCarTakesNothing() throws {
        var control = ChargerControl(use: .mode(.now))
        var reasons: [String] = []
        for minute in 0...8 {
            let now = minutes(Double(minute))
            let reading = charger(now, amps: [0, 0, 0])
            let lab = ChargerLab(at: now, id: "idle")
            lab.board.post(reading, for: "idle")
            let inputs = TickInputs(
                now: now, device: try #require(lab.board["idle"]), venue: venue,
                guidance: guidance(from: start, prices: [0.1, 0.1], ratings: [0.1, 0.1]), carbonPricePerKg: 0)
            let wish = control.wish(inputs)
            reasons.append(control.limited(wish, inputs, ConnectionShare(amps: 16)).reason)
        }
        #expect(!reasons[4].contains("takes nothing"))
        #expect(reasons[7].hasSuffix("the car takes nothing of what it is offered"), "\(reasons[7])")
    }

    @Test func aRefusedOfferIsMadeAgainAfterAnHour() {
        var offer = UnusedOffer()
        var refused: [Bool] = []
        for minute in 0..<130 {
            offer.note(isOffered: true, isTaken: false, at: minutes(Double(minute)))
            refused.append(offer.isRefused(at: minutes(Double(minute))))
        }
        #expect(refused.firstIndex(of: true) == 5)
        #expect(refused[5..<65].allSatisfy { $0 } && !refused[66])
        offer.note(isOffered: true, isTaken: true, at: minutes(130))
        #expect(!offer.isRefused(at: minutes(200)))
        // A planned pause is no refusal.
        offer.note(isOffered: false, isTaken: false, at: minutes(201))
        #expect(!offer.isRefused(at: minutes(400)))
    }

    /// What a deadline needs comes before an even share, but not before a higher priority.
    @Test(
        arguments: [
            ([nil, nil, nil], [0, 0, 0], [8, 8, 8]), ([nil, 12, nil], [0, 0, 0], [6, 12, 6]),
            // Needs below an even share change nothing.
            ([6, 8, 2], [0, 0, 0], [8, 8, 8]),
            // The later ones wait where nothing else tells, and the one with a deadline does not.
            ([nil, 16, nil], [0, 0, 0], [8, 16, 0]), ([nil, nil, 14], [0, 0, 0], [10, 0, 14]),
            // Not enough for all needs: the least time to spare first.
            ([10, 14, 12], [0, 0, 0], [0, 14, 10]),
            ([nil, 16, nil], [0, 0, 1], [0, 8, 16]),
        ] as [([Double?], [Int], [Double])])
    func whatADeadlineNeedsComesFirst(needs: [Double?], priorities: [Int], expected: [Double]) {
        let claims = zip(needs, priorities).map { need, priority in
            var claim = ConnectionClaim(
                wantedAmps: 16, minimumAmps: 6, phases: 3, reading: charger(start, amps: [0, 0, 0]), changedAt: nil)
            claim.neededAmps = need ?? 0
            claim.slackSeconds = need.map { 1000 - 50 * $0 } ?? .infinity
            claim.priority = priority
            return claim
        }
        let fuse = GridConnection(phases: 3, amps: 24)
        let shares = ConnectionLimit.shares(fuse, grid: grid(start, amps: [0, 0, 0], watts: 0), claims: claims)
        #expect(shares.map { min(16, $0.amps) } == expected)
    }

    @Test func whatWholeStepsLeaveOverMakesAnotherStep() {
        func shares(_ free: Double, _ count: Int, step: Double = 1) -> [Double] {
            let claims = (0..<count).map { _ in
                var claim = ConnectionClaim(
                    wantedAmps: 16, minimumAmps: 6, phases: 3, reading: charger(start, amps: [0, 0, 0]), changedAt: nil)
                claim.stepAmps = step
                return claim
            }
            let fuse = GridConnection(phases: 3, amps: free)
            return ConnectionLimit.shares(fuse, grid: grid(start, amps: [0, 0, 0], watts: 0), claims: claims).map {
                ($0.amps + 1e-9).rounded(.down)
            }
        }
        #expect(shares(19, 2) == [10, 9])
        #expect(shares(19.9, 2) == [10, 9])
        #expect(shares(18.5, 2) == [9, 9])
        #expect(shares(26.5, 3) == [9, 9, 8])
        #expect(shares(11, 2) == [11, 0])
        #expect(shares(40, 2).allSatisfy { $0 >= 16 })
    }
}
