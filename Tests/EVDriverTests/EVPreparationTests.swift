import EVDriver
import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing

/// What a charger has to be told before it obeys, and what a person has to tell the hub.
@Suite(.timeLimit(.minutes(1))) struct EVPreparationTests {
    /// A Heidelberg Energy Control with a car that charges; it has its stand-by allowed and a watchdog of 15 s.
    private static func heidelberg() throws -> VirtualDevice {
        let input: [UInt16: [UInt16]] = [
            5: [7, 100, 101, 99, 365, 230, 231, 229, 1, 6900, 0, 12_500, 0x007D, 0x57E4]
        ]
        return try VirtualDevice(unit: 1, holding: [257: [15_000, 0], 261: [0, 60]], input: input) { write in
            // It wants function 16 for each register.
            write.function == 16 && write.values.count == 1 ? nil : .illegalFunction
        }
    }

    @Test func standByIsSwitchedOffBeforeTheFirstCommandAndAgainAfterItWasAway() async throws {
        let charger = try ChargerUnderTest("heidelberg-energy-control", try Self.heidelberg())
        await charger.running.settle()
        #expect(charger.twin.writes == [], "nobody wants anything yet")
        _ = try await charger.running.perform(.limitCurrent(amps: 10))
        _ = try await charger.running.perform(.limitCurrent(amps: 12))
        #expect(charger.twin.written == [Written(258, [4]), Written(261, [100]), Written(261, [120])])
        charger.twin.server.refuseConnections(true)
        charger.twin.server.closeConnections()
        await charger.running.pass(10)
        charger.twin.server.refuseConnections(false)
        charger.twin.forgetWrites()
        await charger.running.pass(60)
        #expect(charger.twin.written == [Written(258, [4]), Written(261, [120])])
    }

    @Test func aWatchdogThatAnyRequestFeedsIsReadInTime() async throws {
        let charger = try ChargerUnderTest("heidelberg-energy-control", try Self.heidelberg()) { $0.pollSeconds = 300 }
        try await charger.charging(at: 10)
        var quiet = 0.0
        var longest = 0.0
        for _ in 0..<60 {
            let before = charger.twin.server.requestCount
            await charger.running.pass(1)
            quiet = charger.twin.server.requestCount == before ? quiet + 1 : 0
            longest = max(longest, quiet)
        }
        // A quarter of 15 s.
        #expect(longest < 4)
        #expect(charger.twin.writes == [])
    }

    @Test func aLifeBitIsWrittenAsOftenAsTheMakerSays() async throws {
        // Everything that a Schneider EVlink Pro has between its registers is there and says nothing.
        let twin = try VirtualDevice(
            unit: 255,
            holding: [
                1: [8], 2999: Array(repeating: 0, count: 6), 3027: Array(repeating: 0, count: 6), 3059: [0, 0],
                3203: [0, 0, 0, 0], 4000: [0], 4004: [16],
            ])
        let charger = try ChargerUnderTest("schneider-evlink-pro", twin) { $0.limits.maximumAmps = 16 }
        try await charger.charging(at: 16)
        let seconds = await charger.secondsWithWrites(of: 20)
        #expect(charger.twin.written == Array(repeating: Written(4000, [1]), count: 10))
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 == 2 }, "\(seconds)")
    }

    @Test func aChargerWhoseHighestCurrentNobodyKnowsNeedsItInTheConfiguration() throws {
        let error = #expect(throws: HubError.self) {
            try ChargerUnderTest("cfos-power-brain", try VirtualDevice(unit: 1))
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("highest current; add limits: {max_amps: …}") == true)
        let charger = try ChargerUnderTest("cfos-power-brain", try VirtualDevice(unit: 1)) {
            $0.limits.maximumAmps = 16
        }
        #expect(charger.running.device.capabilities.charger?.currentLimit?.maximumAmps == 16)
    }
}
