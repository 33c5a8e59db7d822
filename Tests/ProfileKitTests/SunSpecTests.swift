import Foundation
import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing
import YAML

/// Devices that say themselves where their values are: found, walked, and read as far as they really go.
@Suite(.timeLimit(.minutes(1))) struct SunSpecTests {
    private static let mark: [UInt16] = [0x5375, 0x6E53]

    /// A model of `length` words with some of them set, by their offset from its identifier; the rest is 0.
    private static func model(_ id: UInt16, _ length: Int, _ words: [Int: UInt16] = [:]) -> [UInt16] {
        var all = Array(repeating: UInt16(0), count: 2 + length)
        all[0] = id
        all[1] = UInt16(length)
        for (offset, word) in words where offset < all.count { all[offset] = word }
        return all
    }

    /// A three-phase inverter that gives 4160 W: W is the word 14, its factor the word 15.
    private static func inverter(length: Int = 50, watts: UInt16 = 416, factor: UInt16 = 1) -> [UInt16] {
        model(103, length, [14: watts, 15: factor, 24: 0, 25: 5000, 26: 0])
    }

    private static func profile() throws -> DeviceProfile {
        let text = """
            kind: meter
            vendor: Acme
            protocol: sunspec
            modbus: {timeout_ms: 300, maximum_registers: 125}
            points:
              power: {model: [101, 103], point: W, quantity: powerWatts}
              energy: {model: [101, 103], point: WH, quantity: importWattHours}
            """
        let models = try SunSpecModels(ProfileLibrary.shippedFolder.appendingPathComponent("sunspec.yaml"))
        let (profile, errors) = ProfileLibrary.read(text, name: "box", file: "box.yaml", sunspec: models)
        #expect(errors.map(\.description) == [])
        return try #require(profile)
    }

    private static func session(_ device: VirtualDevice) throws -> ProfileSession {
        let settings = ModbusSettings(responseTimeout: .milliseconds(300), retries: 1)
        let bus = ModbusConnection(.tcp(host: "127.0.0.1", port: device.server.port), settings: settings)
        return ProfileSession(profile: try profile(), bus: bus, unit: 1)
    }

    private static func device(at base: UInt16 = 40_000, _ models: [UInt16]...) throws -> VirtualDevice {
        try VirtualDevice(unit: 1, holding: [base: mark + models.flatMap(\.self) + [0xFFFF, 0]])
    }

    @Test(arguments: [UInt16(40_000), 50_000, 0]) func theMarkIsFoundAtEachOfItsPlaces(base: UInt16) async throws {
        let device = try Self.device(at: base, Self.model(1, 66), Self.inverter())
        let session = try Self.session(device)
        let values = try await session.read()
        #expect(values.points["power"] == .number(4160))
        #expect(values.points["energy"] == .number(5000))
        #expect(values.complaint == nil)
        // The chain is walked once, not at each reading.
        let walked = device.server.requestCount
        _ = try await session.read()
        #expect(device.server.requestCount == walked + 1)
    }

    @Test(
        arguments: [
            // Model 1 has 66 words, or 65 without its pad.
            ("65 words", [model(1, 65), inverter()]), ("66 words", [model(1, 66), inverter()]),
            ("a longer model", [model(1, 66), inverter(length: 62)]),
            ("a model of its maker", [model(1, 66), model(64_110, 17), inverter()]),
            ("a model that nobody knows", [model(1, 66), model(9, 1), model(650, 300), inverter()]),
            ("a model of no words", [model(1, 66), model(64_001, 0), inverter()]),
            ("the preferred one behind another", [model(1, 66), model(120, 26), inverter(), model(160, 8)]),
        ] as [(String, [[UInt16]])])
    func whatTheDeviceSaysOfItsLengthsHolds(what: String, models: [[UInt16]]) async throws {
        let words = Self.mark + models.flatMap(\.self) + [0xFFFF, 0]
        let device = try VirtualDevice(unit: 1, holding: [40_000: words])
        defer { withExtendedLifetime(device) {} }
        let session = try Self.session(device)
        #expect(try await session.read().points["power"] == .number(4160), "\(what)")
    }

    @Test func aChainWithoutAnEndEndsWhereTheDeviceHasNothing() async throws {
        let words = Self.mark + Self.model(1, 66) + Self.inverter()
        let device = try VirtualDevice(unit: 1, holding: [40_000: words])
        defer { withExtendedLifetime(device) {} }
        let session = try Self.session(device)
        #expect(try await session.read().points["power"] == .number(4160))
        // Nothing but zeros is no chain of 256 models either.
        let zeros = try VirtualDevice(unit: 1, holding: [40_000: words + Array(repeating: 0, count: 2000)])
        #expect(try await Self.session(zeros).read().points["power"] == .number(4160))
        #expect(zeros.server.requestCount < 10)
    }

    @Test func aModelThatEndsTooEarlyLacksWhatStandsBehindItsEnd() async throws {
        // 13 words reach to offset 14: the power is there, its factor is not. Whatever follows is no factor.
        let device = try Self.device(Self.model(1, 66), Self.inverter(length: 13), Self.model(64_110, 40, [2: 1]))
        let session = try Self.session(device)
        await #expect(throws: HubError.self) { try await session.read() }
        // 24 words reach to the first half of the counter.
        let longer = try Self.device(Self.model(1, 66), Self.inverter(length: 23), Self.model(64_110, 40, [2: 7]))
        let values = try await Self.session(longer).read()
        #expect(values.points == ["power": .number(4160), "103.W_SF@40085": .number(1)])
        #expect(
            values.complaint == "the device refuses to give energy; check that the profile fits its model and firmware")
    }

    @Test(arguments: [([UInt16(0x8000), 0], "value"), ([100, 0x8000], "factor"), ([100, 11], "factor too large")])
    func whatIsNotImplementedIsNotAvailable(words: [UInt16], what: String) async throws {
        // Field case D-5.
        let device = try Self.device(Self.model(1, 66), Self.inverter(watts: words[0], factor: words[1]))
        let values = try await Self.session(device).read()
        #expect(values.points["power"] == nil, "\(what)")
        #expect(values.complaint == nil)
    }

    @Test func aDeviceWithoutTheMarkNeedsAPerson() async throws {
        let device = try VirtualDevice(unit: 1, holding: [40_000: [0, 0, 1, 66]])
        let session = try Self.session(device)
        let error = await #expect(throws: HubError.self) { try await session.read() }
        #expect(error?.retryClass == .needsPerson)
        #expect(error?.message.contains("; switch SunSpec on in its settings") == true)
    }

    @Test func anotherFirmwareIsFoundAfterTheDeviceWasAway() async throws {
        let device = try Self.device(Self.model(1, 66), Self.inverter())
        let session = try Self.session(device)
        #expect(try await session.read().points["power"] == .number(4160))
        device.server.inject(.drop, times: 2)
        await #expect(throws: (any Error).self) { try await session.read() }
        // One more model before the inverter.
        let words = Self.mark + Self.model(1, 66) + Self.model(64_110, 4) + Self.inverter(watts: 77)
        device.replace(holding: [40_000: words + [0xFFFF, 0]])
        #expect(try await session.read().points["power"] == .number(770))
    }

    @Test func theShippedLayoutHasEveryModel() throws {
        let models = try SunSpecModels(ProfileLibrary.shippedFolder.appendingPathComponent("sunspec.yaml")).models
        let wanted =
            [1, 101, 102, 103, 111, 112, 113] + Array(120...124) + [160] + Array(201...204) + Array(211...214)
            + Array(701...714) + [802]
        #expect(models.keys.sorted() == wanted.sorted())
        for (id, model) in models {
            let all = Array(model.points) + Array(model.group?.points ?? [:])
            for (name, point) in all {
                guard let factor = point.factor else { continue }
                let known = model.points[factor] ?? model.group?.points[factor]
                #expect(known?.type == .i16, "\(id).\(name) has the factor \(factor)")
            }
        }
    }
}
