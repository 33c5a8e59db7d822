import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing

/// Looking at an address finds out what is there: each twin is taken for what it is.
@Suite(.timeLimit(.minutes(4))) struct ProbeTests {
    private static func probe(_ twin: VirtualDevice) -> ModbusProbe {
        var patience = ModbusProbe.Patience()
        // The twins are on this machine, and need no pauses.
        (patience.connect, patience.pause) = (.zero, .zero)
        (patience.sign, patience.answer) = (.seconds(10), .seconds(10))
        return ModbusProbe(
            .tcp(host: "127.0.0.1", port: twin.server.port), library: .shipped, clock: ManualClock(),
            patience: patience)
    }

    @Test(arguments: try TwinFile.all().filter(\.options.isEmpty))
    func aTwinIsTakenForWhatItIs(file: TwinFile) async throws {
        let twin = try RunningTwin.twin(file)
        let units = try await Self.probe(twin).run(only: file.unit)
        let findings = try #require(units.first?.findings)
        let list = findings.map { "\($0.profile.name) \($0.score)" }
        let best = try #require(findings.first, "nothing fits")
        let own = try #require(findings.first { $0.profile.name == file.profile }, "\(list)")
        // Several devices share their registers; the right one is never far behind.
        #expect(own.score >= best.score * 0.8, "\(list)")
        #expect(own.points.contains { $0.value != nil })
        #expect(twin.writes == [], "whoever looks changes nothing")
    }

    private static let switching = try? TwinFile.all().filter { $0.options == ["phase_switching"] && $0.kind == .ev }

    /// What the register says that tells whether phases can be switched; absent for a charger that does not tell.
    private static let proofs: [String: (address: UInt16, no: [UInt16])] = [
        "keba-p30": (1550, [0, 0]), "keba-p40": (1550, [0, 1]), "mennekes-amtron-compact": (780, [1]),
        "cfos-power-brain": (8113, [0xFEFF]),
    ]

    @Test(arguments: switching ?? []) func aPhaseSwitchIsNamedOnlyWhereARegisterProvesIt(file: TwinFile) async throws {
        let proof = Self.proofs[file.profile]
        let twin = try RunningTwin.twin(file)
        func options() async throws -> [String]? {
            let units = try await Self.probe(twin).run(only: file.unit)
            return units.first?.findings.first { $0.profile.name == file.profile }?.options
        }
        #expect(try await options() == (proof == nil ? [] : ["phase_switching"]))
        guard let proof else { return }
        twin.server.update(unit: file.unit) { $0.set(.holding, address: proof.address, words: proof.no) }
        #expect(try await options() == [])
    }

    @Test func moreChargersSwitchPhasesThanOne() {
        #expect((Self.switching ?? []).count >= 6)
    }

    @Test(arguments: [("eastron-sdm630", 1), ("keba-p30", 255), ("kostal-plenticore-solar", 71)] as [(String, UInt8)])
    func theUnitIsFound(profile: String, unit: UInt8) async throws {
        let file = try #require(try TwinFile.all().first { $0.name == profile })
        let twin = try RunningTwin.twin(file)
        let units = try await Self.probe(twin).run()
        #expect(units.map(\.unit) == [unit])
        #expect(units.first?.findings.contains { $0.profile.name == profile } == true)
    }

    @Test func aDeviceThatAnswersToEveryNumberIsFoundAtItsOwn() async throws {
        let file = try #require(try TwinFile.all().first { $0.name == "keba-p30" })
        let bank = RegisterBank(
            refusesUndefined: true, holding: file.registers.holding, input: file.registers.input)
        let banks = Dictionary(uniqueKeysWithValues: (UInt8.min...UInt8.max).map { ($0, bank) })
        let server = try ModbusServer(units: banks)
        defer { server.stop() }
        var patience = ModbusProbe.Patience()
        (patience.connect, patience.pause) = (.zero, .zero)
        let probe = ModbusProbe(
            .tcp(host: "127.0.0.1", port: server.port), library: .shipped, clock: ManualClock(), patience: patience)
        let units = try await probe.run()
        let fitting = units.filter { $0.findings.contains { $0.profile.name == "keba-p30" } }
        #expect(fitting.map(\.unit) == [255])
    }

    @Test func whatSpeaksSunSpecSaysWhoItIs() async throws {
        let file = try #require(try TwinFile.all().first { $0.name == "sunspec-inverter" })
        let twin = try RunningTwin.twin(file)
        let units = try await Self.probe(twin).run(only: 1)
        let identity = try #require(units.first?.identity)
        #expect(identity.maker == "Acme" && identity.model == "Sun 5" && identity.version == "1.0")
        #expect(identity.models == [1, 103])
    }

    @Test func nobodyIsThere() async throws {
        let port = UInt16(try LoopbackPort.free())
        let probe = ModbusProbe(.tcp(host: "127.0.0.1", port: port), library: .shipped, clock: ManualClock())
        await #expect(throws: ModbusError.self) { try await probe.run(only: 1) }
    }

    @Test func unitsBehindAGatewayThatAreNotThereAreNotFound() async throws {
        let twin = try VirtualDevice(unit: 7, holding: [0: [1]])
        #expect(try await Self.probe(twin).run(only: 1).isEmpty)
        // It is there, and no profile fits it.
        let units = try await Self.probe(twin).run(only: 7)
        #expect(units.map(\.unit) == [7] && units.allSatisfy(\.findings.isEmpty))
    }
}
