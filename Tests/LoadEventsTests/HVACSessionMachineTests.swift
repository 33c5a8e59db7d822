import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents

@Suite("Runs of heating and cooling")
struct HVACSessionMachineTests {
    struct Pump {
        var machine = HVACSessionMachine()
        var guidance: FollowedGuidance? = FollowedGuidance(token: UUID(), isFollowing: true)
        var events: [AnyLoadEvent] = []

        @discardableResult
        mutating func read(
            _ seconds: Double, stage: Double?, mode: HVACMode? = nil, userActed: Bool = false
        ) -> [String] {
            var reading = DeviceReading(at: noon.addingTimeInterval(seconds))
            reading[.stagePercent] = stage
            reading.hvacMode = mode
            return step(reading, seconds, userActed)
        }

        @discardableResult
        mutating func wake(_ seconds: Double, userActed: Bool = false) -> [String] { step(nil, seconds, userActed) }

        private mutating func step(_ reading: DeviceReading?, _ seconds: Double, _ userActed: Bool) -> [String] {
            let new = machine.step(
                SessionInput(
                    reading: reading, userActed: userActed, guidance: guidance, now: noon.addingTimeInterval(seconds)),
                device: ElectricalLoadDevice(id: "pump", name: "Heat pump", type: .hvac))
            events += new
            return new.map(line)
        }
    }

    @Test("after a restart nothing is told before the heat pump was read")
    func nothingOldIsToldAfterARestart() {
        var pump = Pump()
        _ = pump.read(0, stage: 0, mode: .idle)
        #expect(pump.read(60, stage: 41, mode: .heating) == ["begin 0", "active 40"])
        pump.machine.resume()
        pump.guidance = FollowedGuidance(token: UUID(), isFollowing: false)
        #expect(pump.wake(100).isEmpty)
        #expect(pump.wake(110, userActed: true).isEmpty)
        #expect(pump.read(120, stage: 41, mode: .heating) == ["active 40"])
    }

    @Test("a run: begin with stage 0, the stage, each change, quarter-hours, end with stage 0")
    func wholeRun() {
        var pump = Pump()
        #expect(pump.read(0, stage: 0, mode: .idle).isEmpty)
        #expect(pump.read(60, stage: 41, mode: .heating) == ["begin 0", "active 40"])
        #expect(pump.read(180, stage: 78, mode: .heating) == ["active 80"])
        for second in stride(from: 240.0, to: 900, by: 60) {
            #expect(pump.read(second, stage: 79, mode: .heating).isEmpty)
        }
        #expect(pump.read(905, stage: 79, mode: .heating) == ["active 80"])
        #expect(pump.read(960, stage: 0, mode: .idle) == ["end 0"])
        #expect(Set(pump.events.map(\.sessionID)).count == 1)
        #expect(!pump.machine.isOpen)
    }

    struct Step: Sendable, CustomTestStringConvertible {
        let stage: Double?
        let mode: HVACMode?
        let told: [String]
        var testDescription: String { "\(stage.map { "\($0) %" } ?? "no stage") \(mode?.rawValue ?? "no mode")" }
    }

    @Test(
        "what a first reading begins",
        arguments: [
            Step(stage: 100, mode: .heating, told: ["begin 0", "active 100"]),
            Step(stage: 33, mode: nil, told: ["begin 0", "active 35"]),
            Step(stage: 120, mode: .cooling, told: ["begin 0", "active 100"]),
            Step(stage: nil, mode: .hotWater, told: ["begin 0", "active 100"]),
            Step(stage: nil, mode: .defrosting, told: ["begin 0", "active 100"]),
            Step(stage: 4.9, mode: .heating, told: []), Step(stage: 0, mode: .heating, told: []),
            Step(stage: 3, mode: .idle, told: []), Step(stage: nil, mode: .off, told: []),
            Step(stage: nil, mode: nil, told: []),
        ])
    func firstReading(_ step: Step) {
        var pump = Pump()
        #expect(pump.read(0, stage: step.stage, mode: step.mode) == step.told)
    }

    @Test(
        "what a second reading tells, two minutes into a run at 50",
        arguments: [
            Step(stage: 50, mode: .heating, told: []), Step(stage: 53.7, mode: .heating, told: []),
            Step(stage: 46.3, mode: .heating, told: []), Step(stage: 54, mode: .heating, told: ["active 55"]),
            Step(stage: 20, mode: .heating, told: ["active 20"]),
            Step(stage: 100, mode: .heating, told: ["active 100"]),
            Step(stage: 50, mode: .cooling, told: ["active 50"]), Step(stage: 2, mode: .heating, told: ["end 0"]),
            Step(stage: 50, mode: .idle, told: ["end 0"]), Step(stage: 50, mode: .off, told: ["end 0"]),
            Step(stage: nil, mode: nil, told: []),
        ])
    func secondReading(_ step: Step) {
        var pump = Pump()
        pump.read(0, stage: 50, mode: .heating)
        #expect(pump.read(120, stage: step.stage, mode: step.mode) == step.told)
    }

    @Test("a noisy power does not flood: at most one change of stage in 60 s")
    func noise() {
        var pump = Pump()
        var random = SeededGenerator(state: 7)
        for second in stride(from: 0.0, to: 840, by: 5) {
            pump.read(second, stage: Double.random(in: 20...90, using: &random), mode: .heating)
        }
        #expect(pump.events.count <= 2 + 14)
        #expect(pump.events.count > 5)
    }

    @Test("a change of mode is told at once, a change of stage within the minute waits")
    func modeAtOnce() {
        var pump = Pump()
        pump.read(0, stage: 50, mode: .heating)
        #expect(pump.read(10, stage: 90, mode: .heating).isEmpty)
        #expect(pump.read(20, stage: 90, mode: .hotWater) == ["active 90"])
        #expect(pump.read(30, stage: 20, mode: .hotWater).isEmpty)
        #expect(pump.read(80, stage: 20, mode: .hotWater) == ["active 20"])
    }

    @Test("without guidance the run waits; with it, it begins")
    func waitsForGuidance() {
        var pump = Pump()
        pump.guidance = nil
        #expect(pump.read(0, stage: 50).isEmpty)
        #expect(pump.machine.needsGuidance && pump.machine.isOpen)
        pump.guidance = FollowedGuidance(token: UUID(), isFollowing: false)
        #expect(pump.wake(10) == ["begin 0", "active 50"])
    }

    @Test("an outage and a restart do not end a run")
    func goesOn() throws {
        var pump = Pump()
        pump.read(0, stage: 50, mode: .heating)
        #expect(pump.wake(1000).isEmpty)
        let text = try JSONEncoder().encode(pump.machine)
        pump.machine = try JSONDecoder().decode(HVACSessionMachine.self, from: text)
        #expect(pump.read(2000, stage: 50, mode: .heating) == ["active 50"])
        #expect(pump.read(2100, stage: 0, mode: .idle) == ["end 0"])
        #expect(Set(pump.events.map(\.sessionID)).count == 1)
    }

    @Test("a person's act and new guidance are told at once")
    func actsAndGuidance() {
        var pump = Pump()
        pump.read(0, stage: 50, mode: .heating)
        #expect(pump.wake(1, userActed: true) == ["active 50"])
        let token = UUID()
        pump.guidance = FollowedGuidance(token: token, isFollowing: true)
        #expect(pump.wake(2) == ["active 50"])
        #expect(pump.events.last?.guidanceToken == token)
        #expect(pump.wake(3).isEmpty)
    }
}
