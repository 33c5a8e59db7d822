import Foundation
import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct ProfileSessionTests {
    private let now = Date(timeIntervalSince1970: 1_780_000_000)

    private static func profile(_ rest: String) throws -> DeviceProfile {
        let text = "kind: meter\nvendor: Acme\n\(rest)"
        return try #require(ProfileLibrary.read(text, name: "box", file: "box.yaml").profile)
    }

    /// Points at 0, 2 (two words) and 5, all read at once.
    private static func threePoints() throws -> DeviceProfile {
        try profile(
            """
            modbus: {timeout_ms: 1000}
            points:
              power: {holding: 0, type: i16, unavailable: [0x8000], quantity: powerWatts}
              energy: {holding: 2, type: u32, unavailable: [0xFFFFFFFF], quantity: importWattHours}
              voltage: {holding: 5, scale: 0.1, quantity: voltageL1Volts}
            """)
    }

    private func session(_ profile: DeviceProfile, port: UInt16, unit: UInt8 = 1) -> ProfileSession {
        let settings = ModbusSettings(responseTimeout: .milliseconds(profile.transport.timeoutMilliseconds), retries: 1)
        return ProfileSession(
            profile: profile, bus: ModbusConnection(.tcp(host: "127.0.0.1", port: port), settings: settings), unit: unit
        )
    }

    @Test func aBlockBringsValuesAndRawWords() async throws {
        let device = try VirtualDevice(unit: 1, holding: [0: [0xFF9C, 0, 0, 700, 0, 2305]])
        let session = session(try Self.threePoints(), port: device.server.port)
        let values = try await session.read()
        #expect(values.points == ["power": .number(-100), "energy": .number(700), "voltage": .number(230.5)])
        #expect(values.words == ["power": [0xFF9C], "energy": [0, 700], "voltage": [2305]])
        #expect(values.complaint == nil)
        #expect(device.server.requestCount == 1)
    }

    @Test func aCounterKeepsItsLastValueAndItsTimeWhileItIsNotAvailable() async throws {
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700, 0, 2305]])
        let session = session(try Self.threePoints(), port: device.server.port)
        _ = await session.result(try await session.read(), at: now)
        device.set(.holding, 0, [0x8000, 0, 0xFFFF, 0xFFFF])
        let later = now.addingTimeInterval(3600)
        let reading = await session.result(try await session.read(), at: later).reading
        #expect(reading.powerWatts == nil)
        #expect(reading.samples[.importWattHours] == Sample(700, at: now))
        #expect(reading.samples[.voltageL1Volts] == Sample(230.5, at: later))
    }

    @Test func aSumWithAValueThatCannotBeIsUnknown() async throws {
        let profile = try Self.profile(
            """
            modbus: {timeout_ms: 300}
            points:
              one: {holding: 0, type: i16, unavailable: [0x7FFF], quantity: powerL1Watts}
              two: {holding: 1, type: i16, unavailable: [0x7FFF], quantity: powerL2Watts}
              power: {sum: [one, -two], skip_unavailable: true, quantity: powerWatts}
            """)
        let device = try VirtualDevice(unit: 1, holding: [0: [500, 1240]])
        let session = session(profile, port: device.server.port)
        #expect(try await session.read().points["power"] == .number(-740))
        // What the device says it does not know is left out.
        device.set(.holding, 0, [500, 0x7FFF])
        #expect(try await session.read().points["power"] == .number(500))
        // What it sends without saying so may be anything.
        device.set(.holding, 0, [500, 0x8000])
        #expect(try await session.read().points["power"] == nil)
    }

    @Test func anAbsentRegisterIsSetAsideAfterThreeRefusalsAndTheOthersLiveOn() async throws {
        // Field case D-6: there is no register 5.
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700]])
        let session = session(try Self.threePoints(), port: device.server.port)
        var requests: [Int] = []
        var complaints: [String?] = []
        for _ in 0..<5 {
            let before = device.server.requestCount
            let values = try await session.read()
            #expect(values.points == ["power": .number(100), "energy": .number(700)])
            requests.append(device.server.requestCount - before)
            complaints.append(values.complaint)
        }
        // The block and its three points; the points; then without the one that is absent.
        #expect(requests == [4, 3, 3, 2, 2])
        #expect(complaints[0] == nil && complaints[1] == nil)
        #expect(
            complaints[2] == "the device refuses to give voltage; check that the profile fits its model and firmware")
        #expect(complaints[4] == complaints[2])
    }

    @Test(arguments: [ModbusException.illegalFunction, .illegalDataValue, .deviceFailure])
    func whateverADeviceSaysOfAnAbsentRegisterItIsSetAside(code: ModbusException) async throws {
        // Field case D-6, with the other words that devices have for it.
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700]])
        device.server.setAbsence(code)
        let session = session(try Self.threePoints(), port: device.server.port)
        // It may be something else, and is said as what it is.
        for _ in 0..<2 { await #expect(throws: ModbusError.exception(code)) { try await session.read() } }
        for _ in 0..<4 {
            let values = try await session.read()
            #expect(values.points == ["power": .number(100), "energy": .number(700)])
            #expect(values.complaint?.contains("voltage") == true)
        }
        // Nothing is asked for it any more.
        let before = device.server.requestCount
        _ = try await session.read()
        #expect(device.server.requestCount - before == 2)
    }

    @Test(arguments: [ModbusException.illegalFunction, .illegalDataValue, .deviceFailure])
    func anExceptionNowAndThenCostsItsRoundAndNothingElse(code: ModbusException) async throws {
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700, 0, 2305]])
        let session = session(try Self.threePoints(), port: device.server.port)
        for _ in 0..<5 {
            device.server.inject(.exception(code))
            await #expect(throws: ModbusError.exception(code)) { try await session.read() }
            let values = try await session.read()
            #expect(values.points.count == 3 && values.complaint == nil)
        }
    }

    @Test func aDeviceThatFailsAltogetherIsNotTakenForOneOfAnotherKind() async throws {
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700, 0, 2305]])
        let session = session(try Self.threePoints(), port: device.server.port)
        device.server.inject(.exception(.deviceFailure), times: nil)
        for _ in 0..<5 {
            await #expect(throws: ModbusError.exception(.deviceFailure)) { try await session.read() }
        }
        device.server.clearFaults()
        for _ in 0..<2 {
            let before = device.server.requestCount
            let values = try await session.read()
            #expect(values.points.count == 3 && values.complaint == nil)
            #expect(device.server.requestCount - before == 1)
        }
    }

    @Test func refusalsCountOnlyInARow() async throws {
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700]])
        let session = session(try Self.threePoints(), port: device.server.port)
        for _ in 0..<4 {
            for _ in 0..<2 { #expect(try await session.read().complaint == nil) }
            device.set(.holding, 5, [2305])
            #expect(try await session.read().points["voltage"] == .number(230.5))
            device.replace(holding: [0: [100, 0, 0, 700]])
        }
    }

    @Test func whatWasSetAsideIsAskedForAgainAfterTheDeviceWasAway() async throws {
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700]])
        let session = session(try Self.threePoints(), port: device.server.port)
        for _ in 0..<3 { _ = try await session.read() }
        device.server.inject(.drop, times: 4)
        await #expect(throws: ModbusError.self) { try await session.read() }
        device.server.clearFaults()
        device.set(.holding, 4, [0, 2305])
        let values = try await session.read()
        #expect(values.points["voltage"] == .number(230.5))
        #expect(values.complaint == nil)
    }

    @Test func aDeviceThatRefusesEverythingIsNotRead() async throws {
        let device = try VirtualDevice(unit: 1, input: [0: [1]])
        let session = session(try Self.threePoints(), port: device.server.port)
        for _ in 0..<5 {
            let error = await #expect(throws: HubError.self) { try await session.read() }
            #expect(error?.message == "the device refuses every register of box; check its profile and unit number")
        }
    }

    @Test(arguments: [
        ModbusFault.lateFrame(), .foreignUnit(2), .foreignFunction(), .close, .exception(.deviceBusy), .drop,
        .delay(.milliseconds(150)),
    ])
    func oneSpoiltAnswerSpoilsNothing(fault: ModbusFault) async throws {
        // Field cases D-2 and D-7: a late frame, another unit's reply, a lost, busy or closed first request.
        let device = try VirtualDevice(unit: 1, holding: [0: [100, 0, 0, 700, 0, 2305]])
        let session = session(try Self.threePoints(), port: device.server.port)
        device.server.inject(fault)
        for _ in 0..<3 {
            let values = try await session.read()
            #expect(values.points == ["power": .number(100), "energy": .number(700), "voltage": .number(230.5)])
        }
    }

    @Test func everyPointIsInspectedWithItsRawWords() async throws {
        let device = try VirtualDevice(unit: 1, holding: [0: [0x8000, 0, 0, 0x2BC]])
        let session = session(try Self.threePoints(), port: device.server.port)
        #expect(
            try await session.inspect() == [
                InspectedPoint(name: "power", value: nil, raw: "8000", place: "holding 0"),
                InspectedPoint(name: "energy", value: "700 Wh", raw: "0000 02BC", place: "holding 2"),
                InspectedPoint(name: "voltage", value: nil, raw: "refused", place: "holding 5"),
            ])
    }

    @Test(arguments: [(1, "-1 Wh"), (2_147_483_647, "2147483647 Wh"), (-100, "100 Wh"), (5, "-5 Wh")])
    func inspectedNumbersArePlain(raw: Int32, text: String) async throws {
        let scale = raw == 2_147_483_647 ? "1" : "-1"
        let profile = try Self.profile(
            "modbus: {}\npoints: {p: {holding: 0, type: i32, scale: \(scale), quantity: importWattHours}}")
        let bits = UInt32(bitPattern: raw)
        let device = try VirtualDevice(unit: 1, holding: [0: [UInt16(bits >> 16), UInt16(bits & 0xFFFF)]])
        #expect(try await session(profile, port: device.server.port).inspect().first?.value == text)
    }

    @Test func writesGoByTheFunctionTheProfileNames() async throws {
        let tap = try RequestTap()
        let session = session(try Self.threePoints(), port: tap.port)
        func place(_ address: UInt16, _ table: RegisterPlace.Table = .holding) -> RegisterPlace {
            .init(table, address)
        }
        try await session.perform(
            [
                .write(ProfileWrite(place: place(0x0102), scale: 0.001, value: .argument)),
                .write(ProfileWrite(place: place(0x0103), value: .constant(7), multiple: true)),
                .write(ProfileWrite(place: place(0x0104), type: .f32, value: .argument)),
                .write(ProfileWrite(place: place(0x0105, .coil), type: .bit, value: .constant(1))),
                .write(ProfileWrite(place: place(0x0106), value: .point("period"))),
            ], argument: 16, values: ["period": .number(30)])
        #expect(
            tap.requests == [
                [6, 0x01, 0x02, 0x3E, 0x80],
                [16, 0x01, 0x03, 0, 1, 2, 0, 7],
                [16, 0x01, 0x04, 0, 2, 4, 0x41, 0x80, 0, 0],
                [5, 0x01, 0x05, 0xFF, 0],
                [6, 0x01, 0x06, 0, 30],
            ])
    }

    @Test func whatCannotBeWrittenIsRefusedWithItsPlace() async throws {
        let tap = try RequestTap()
        let session = session(try Self.threePoints(), port: tap.port)
        let write = ProfileAction.write(ProfileWrite(place: RegisterPlace(.holding, 9), value: .point("period")))
        let error = await #expect(throws: HubError.self) { try await session.perform([write]) }
        #expect(error?.message == "there is no value that fits holding 9 of box")
        await #expect(throws: HubError.self) { try await session.perform(.setpoint, argument: 21) }
        #expect(tap.requests == [])
    }
}
