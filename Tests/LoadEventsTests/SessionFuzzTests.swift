import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents

/// The session machines against slow references that were written from the rules' text, over random lives of devices.
@Suite("Random lives of devices")
struct SessionFuzzTests {
    /// A generator of lives: each step changes what a reader of the rules would change.
    private struct Life {
        var random: SeededGenerator
        var guidance: [FollowedGuidance?]
        var seconds = 60.0
        var imported = 5000.0
        var exported = 700.0
        var watts = 0.0
        var plug = PlugState.plugged
        var charging: ChargingState?
        var stage: Double? = 0
        var mode: HVACMode? = .idle

        init(seed: UInt64) {
            random = SeededGenerator(state: seed)
            let tokens = (0..<3).map { _ in UUID() }
            guidance = tokens.flatMap { token in
                [FollowedGuidance(token: token, isFollowing: true), FollowedGuidance(token: token, isFollowing: false)]
            }
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

        /// Flow since the last moment, then perhaps another flow.
        mutating func pass(_ duration: Double, mayExport: Bool) {
            seconds += duration
            if plug == .plugged {
                if watts > 0 { imported += watts * duration / 3600 } else { exported -= watts * duration / 3600 }
            }
            guard chance(30) else { return }
            let powers: [Double] = [0, 0, 0, 60, 150, 1400, 1900, 2100, 7000, 7400, 7700, 11_000]
            watts = powers.randomElement(using: &random) ?? 0
            if mayExport, watts > 1000, chance(30) { watts = -watts }
            plug = chance(6) ? .unplugged : .plugged
            if plug == .unplugged { watts = 0 }
            charging = [nil, nil, .charging, .idle, .waiting][Int.random(in: 0..<5, using: &random)]
            if chance(3) { charging = .fault }
            let stages: [Double?] = [0, 0, 2, 4.9, 5, 20, 22, 24, 50, 53.6, 53.8, 97.5, 100, 140, nil]
            stage = stages.randomElement(using: &random) ?? nil
            mode = [nil, .idle, .off, .heating, .heating, .cooling][Int.random(in: 0..<6, using: &random)]
        }

        mutating func charger(steps: Int, mayExport: Bool, knowsGuidance: Bool) -> [Moment] {
            var quoted = knowsGuidance ? guidance[0] : nil
            return (0..<steps).map { _ in
                let durations = [5.0, 15, 20, 30, 60, 60, 120, 290]
                let isLong = chance(1) && abs(watts) > 200
                pass(isLong ? 1800 : durations.randomElement(using: &random) ?? 60, mayExport: mayExport)
                if chance(6) { quoted = guidance.randomElement(using: &random) ?? nil }
                let hasReading = chance(80)
                return Moment(
                    seconds: seconds,
                    reading: hasReading
                        ? .init(watts: watts, imported: imported, exported: exported, plug: plug, charging: charging)
                        : nil,
                    userActed: chance(5), guidance: quoted)
            }
        }

        mutating func pump(steps: Int, knowsGuidance: Bool) -> [Moment] {
            var quoted = knowsGuidance ? guidance[0] : nil
            return (0..<steps).map { _ in
                pass([10.0, 30, 60, 60, 90, 300].randomElement(using: &random) ?? 60, mayExport: false)
                if chance(6) { quoted = guidance.randomElement(using: &random) ?? nil }
                return Moment(
                    seconds: seconds, reading: chance(80) ? .init(stage: stage, mode: mode) : nil, userActed: chance(5),
                    guidance: quoted)
            }
        }
    }

    private func input(_ moment: Moment) -> SessionInput {
        var reading: DeviceReading?
        if let read = moment.reading {
            var made = DeviceReading(at: noon.addingTimeInterval(moment.seconds))
            made[.powerWatts] = read.watts
            made[.importWattHours] = read.imported
            made[.exportWattHours] = read.exported
            made.plug = read.plug
            made.charging = read.charging
            made[.stagePercent] = read.stage
            made.hvacMode = read.mode
            reading = made
        }
        return SessionInput(
            reading: reading, userActed: moment.userActed, guidance: moment.guidance,
            now: noon.addingTimeInterval(moment.seconds))
    }

    private func wanted(_ event: AnyLoadEvent) -> WantedEvent? {
        let seconds = event.timestamp.timeIntervalSince(noon)
        switch event {
        case .electricVehicle(let event):
            return WantedEvent(
                state: event.session.state.rawValue, seconds: seconds, watts: event.measurement.power.watts,
                wattHours: event.measurement.energy.wattHours, token: event.session.guidanceState.guidanceToken,
                isFollowing: event.session.guidanceState.wasFollowingGuidance,
                isExport: event.measurement.direction == .exported)
        case .hvac(let event):
            return WantedEvent(
                state: event.session.state.rawValue, seconds: seconds, stage: event.measurement.stage,
                token: event.session.guidanceState.guidanceToken,
                isFollowing: event.session.guidanceState.wasFollowingGuidance)
        case .electricVehicleStatus: return nil
        }
    }

    /// Where two lists part, with what came before.
    private func difference(_ got: [WantedEvent], _ want: [WantedEvent]) -> String? {
        func isSame(_ left: WantedEvent, _ right: WantedEvent) -> Bool {
            var right = right
            guard abs(left.wattHours - right.wattHours) < 0.001_1 else { return false }
            right.wattHours = left.wattHours
            // A begin that is worked out from the energy is as exact as the energy's last digit.
            guard abs(left.seconds - right.seconds) < 0.05 else { return false }
            right.seconds = left.seconds
            return left == right
        }
        for index in 0..<max(got.count, want.count) {
            let one = index < got.count ? got[index] : nil
            let other = index < want.count ? want[index] : nil
            if let one, let other, isSame(one, other) { continue }
            let before = got.prefix(index).suffix(4).map(\.description)
            return
                "event \(index): \(one?.description ?? "none"), wanted \(other?.description ?? "none"), after \(before)"
        }
        return nil
    }

    @Test("a charger's events are those that the rules want", arguments: 1...150)
    func charger(seed: UInt64) throws {
        var life = Life(seed: seed)
        let moments = life.charger(steps: 160, mayExport: seed % 3 == 0, knowsGuidance: seed % 4 != 0)
        var machine = EVSessionMachine(maximumWatts: 13_000)
        var got: [WantedEvent] = []
        for (index, moment) in moments.enumerated() {
            // Now and then the hub restarts: what the machine knows goes through its stored form.
            if index % 37 == 36 {
                machine = try JSONDecoder().decode(EVSessionMachine.self, from: JSONEncoder().encode(machine))
            }
            got += machine.step(
                input(moment), device: ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle),
                vehicle: nil
            ).compactMap(wanted)
        }
        let want = ReferenceCharger.events(of: moments, maximumWatts: 13_000)
        #expect(difference(got, want) == nil)
        #expect(want.count > 10)
    }

    @Test("a heat pump's events are those that the rules want", arguments: 1...150)
    func pump(seed: UInt64) throws {
        var life = Life(seed: seed &+ 10_000)
        let moments = life.pump(steps: 200, knowsGuidance: seed % 4 != 0)
        var machine = HVACSessionMachine()
        var got: [WantedEvent] = []
        for (index, moment) in moments.enumerated() {
            if index % 41 == 40 {
                machine = try JSONDecoder().decode(HVACSessionMachine.self, from: JSONEncoder().encode(machine))
            }
            got += machine.step(
                input(moment), device: ElectricalLoadDevice(id: "pump", name: "Heat pump", type: .hvac)
            ).compactMap(wanted)
        }
        let want = ReferencePump.events(of: moments)
        #expect(difference(got, want) == nil)
        #expect(want.count > 10)
    }

    @Test("whatever a charger does, its events keep the order and the sums of a session", arguments: 1...60)
    func order(seed: UInt64) throws {
        var life = Life(seed: seed &+ 20_000)
        let moments = life.charger(steps: 300, mayExport: true, knowsGuidance: seed % 2 == 0)
        let maximum = 13_000.0
        var machine = EVSessionMachine(maximumWatts: maximum)
        var events: [AnyLoadEvent] = []
        for moment in moments {
            events += machine.step(
                input(moment), device: ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle),
                vehicle: nil)
        }
        for session in Dictionary(grouping: events, by: \.sessionID).values {
            let wants = session.compactMap(wanted)
            #expect(wants.first?.state == "begin" && wants.first?.watts == 0 && wants.first?.wattHours == 0)
            #expect(wants.dropFirst().dropLast().allSatisfy { $0.state == "active" })
            #expect(wants.last?.state != "begin" && (wants.last?.state != "end" || wants.last?.watts == 0))
            #expect(Set(wants.map(\.isExport)).count == 1)
            for (before, after) in zip(wants, wants.dropFirst()) {
                #expect(before.seconds <= after.seconds && before.wattHours <= after.wattHours)
                let most = maximum * (after.seconds - before.seconds) / 3600
                #expect(after.wattHours - before.wattHours <= most + 0.002)
            }
        }
        #expect(Quarters(events).wattHours.values.allSatisfy { $0 <= maximum / 4 + 0.05 })
    }
}
