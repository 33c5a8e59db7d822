import Foundation
import HubKit
import Testing

@testable import Control

/// Circuits, priorities and limits from outside.
@Suite struct HomeLimitsTests {
    let now = Date(timeIntervalSince1970: 1_796_000_400)

    private func shares(
        _ claims: [ConnectionClaim], _ limits: HomeLimits, fuse: GridConnection? = nil
    ) -> [Double] {
        ConnectionLimit.shares(fuse, grid: grid(now, amps: [0, 0, 0], watts: 0), claims: claims, limits: limits)
            .map { ($0.amps * 1000).rounded() / 1000 }
    }

    private func claim(_ wanted: Double, on circuit: String?, priority: Int = 0, phases: Int = 3) -> ConnectionClaim {
        var result = ConnectionClaim(
            wantedAmps: wanted, minimumAmps: 6, phases: phases, reading: charger(now, amps: [0, 0, 0]), changedAt: nil)
        result.circuit = circuit
        result.priority = priority
        return result
    }

    /// Field case C-5.
    @Test func aCircuitIsSharedEvenlyUnlessPrioritiesSayOtherwise() {
        let limits = HomeLimits(circuitAmps: ["garage": 35])
        let equal = (0..<3).map { _ in claim(16, on: "garage") }
        #expect(shares(equal, limits).allSatisfy { abs($0 - 35.0 / 3) < 0.01 })
        let ranked = [
            claim(16, on: "garage"), claim(16, on: "garage", priority: 2), claim(16, on: "garage", priority: 1),
        ]
        // What is left for the last is below what a car charges with.
        #expect(shares(ranked, limits)[0] == 0)
        #expect(shares(ranked, limits)[1] >= 16 && shares(ranked, limits)[2] >= 16)
    }

    @Test func aCircuitHoldsNobodyElse() {
        let limits = HomeLimits(circuitAmps: ["garage": 10])
        #expect(shares([claim(16, on: "garage"), claim(16, on: nil)], limits) == [10, .infinity])
    }

    /// Field case C-5: L2 and L3 of a circuit stop no car on L1 alone.
    @Test func aCarOnOnePhaseOfACircuitSharesThatPhaseOnly() {
        let limits = HomeLimits(circuitAmps: ["garage": 20])
        let shared = shares([claim(16, on: "garage"), claim(8, on: "garage", phases: 1)], limits)
        #expect(shared == [12, 8])
    }

    @Test(
        arguments: [(4200.0, [6.087, 0]), (11_040, [8, 8]), (0, [0, 0]), (30_000, [27.478, 27.478])]
            as [(Double, [Double])])
    func aLimitFromOutsideIsSharedInWatts(watts: Double, amps: [Double]) {
        #expect(shares([claim(16, on: nil), claim(16, on: nil)], HomeLimits(externalWatts: watts)) == amps)
    }

    @Test(arguments: [3000.0, 0]) func aLimitThatLeavesNothingIsNamed(watts: Double) {
        let fuse = GridConnection(phases: 3, amps: 35)
        let now = Date(timeIntervalSince1970: 1_780_000_000)
        let house = grid(now, amps: [1, 1, 1], watts: 690)
        for limits in [HomeLimits(externalWatts: watts), HomeLimits(circuitAmps: ["garage": watts / 690])] {
            let found = ConnectionLimit.shares(fuse, grid: house, claims: [claim(16, on: "garage")], limits: limits)
            #expect(found[0].amps == 0)
            #expect(found[0].limiter == (limits.externalWatts == nil ? "the circuit garage" : limits.externalName))
        }
    }

    @Test func whoIsNotHeardMayGoOnDrawing() {
        let limits = HomeLimits(circuitAmps: ["garage": 25], externalWatts: 9000)
        let left = limits.beside(unheard: 10, phases: 3, circuit: "garage")
        #expect(left.circuitAmps["garage"] == 15)
        #expect(left.externalWatts == 2100)
    }
}
