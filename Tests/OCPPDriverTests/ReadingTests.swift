import Foundation
import HubKit
import TestSupport
import Testing

/// What a charger tells reaches the board.
@Suite struct ReadingTests {
    @Test func bootStatusAndMeterValuesReachTheBoard() async throws {
        let site = try await Site()
        let charger = try await VirtualCharger.connect(port: site.port)
        let boot = await charger.boot()
        #expect(boot[2]["status"].string == "Accepted" && boot[2]["interval"].number == 60)
        #expect(boot[2]["currentTime"].date == site.clock.now)
        await charger.say("Charging")
        let id = await charger.start(meter: 10_000, at: site.clock.now)
        #expect(id > 0)
        await charger.measure(
            [
                ("Energy.Active.Import.Register", "12.5", "kWh"), ("Power.Active.Import", "11.04", "kW"),
                ("SoC", "42", "Percent"), ("Current.Offered", "16", "A"),
            ], at: site.clock.now, transaction: id)
        #expect(await site.shows { $0.reading?.powerWatts == 11040 && $0.health.state == .ok })
        let reading = try #require(site.running.reading)
        #expect(reading.plug == .plugged && reading.charging == .charging)
        #expect(reading[.importWattHours] == 12_500 && reading[.sessionWattHours] == 2_500)
        #expect(reading[.stateOfChargePercent] == 42 && reading[.limitAmps] == 16)
        #expect(reading.at == site.clock.now)
        await site.end()
    }

    @Test(arguments: [
        ("Available", PlugState?.some(.unplugged), ChargingState.idle), ("Preparing", .plugged, .idle),
        ("Charging", .plugged, .charging), ("SuspendedEV", .plugged, .waiting), ("SuspendedEVSE", .plugged, .idle),
        ("Finishing", .plugged, .idle), ("Reserved", .unplugged, .idle), ("Unavailable", .unplugged, .idle),
        ("Faulted", nil, .fault),
    ])
    func everyStatusHasItsMeaning(_ status: String, _ plug: PlugState?, _ charging: ChargingState) async throws {
        let site = try await Site()
        _ = try await site.connect(status: status)
        #expect(await site.shows { $0.reading?.plug == plug && $0.reading?.charging == charging })
        let isWell = !["Unavailable", "Faulted"].contains(status)
        #expect(await site.shows { ($0.health.state == .ok) == isWell })
        await site.end()
    }

    @Test func whatItHasNotSaidIsUnknownAndNeverZero() async throws {
        let site = try await Site()
        _ = try await site.connect(status: "Charging")
        #expect(await site.shows { $0.reading?.charging == .charging })
        let reading = try #require(site.running.reading)
        #expect(reading.samples.isEmpty)
        await site.end()
    }

    @Test func powerIsUnknownOnceChargingHasEndedUntilItIsMeasured() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        let values = [("Power.Active.Import", "11000", "W"), ("Energy.Active.Import.Register", "5000", "Wh")]
        await charger.measure(values, at: site.clock.now)
        #expect(await site.shows { $0.reading?.powerWatts == 11000 })
        await site.running.pass(20)
        await charger.say("Finishing")
        #expect(await site.shows { $0.reading?.charging == .idle })
        #expect(site.running.reading?.powerWatts == nil)
        #expect(site.running.reading?[.importWattHours] == 5000)
        // It is asked for the values that would tell; the first time was when it connected.
        #expect(await charger.call(3, of: "TriggerMessage") != nil)
        await charger.measure([("Power.Active.Import", "0", "W")], at: site.clock.now)
        #expect(await site.shows { $0.reading?.powerWatts == 0 })
        await site.end()
    }

    @Test func valuesThatComeLateDoNotReplaceNewerOnes() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        let now = site.clock.now
        await charger.measure([("Power.Active.Import", "7000", "W")], at: now)
        await charger.measure([("Power.Active.Import", "3000", "W")], at: now.addingTimeInterval(-60))
        await charger.say("SuspendedEV", at: now)
        await charger.say("Charging", at: now.addingTimeInterval(-30))
        #expect(await site.shows { $0.reading?.charging == .waiting })
        await charger.say("Charging", at: now.addingTimeInterval(1))
        await charger.measure([("Power.Active.Import", "7100", "W")], at: now.addingTimeInterval(1))
        #expect(await site.shows { $0.reading?.powerWatts == 7100 && $0.reading?.charging == .charging })
        await site.end()
    }

    @Test func aClockInTheWrongZoneMakesNoValueOld() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        await charger.measure(
            [("Power.Active.Import", "7000", "W")], at: site.clock.now.addingTimeInterval(-7200))
        #expect(await site.shows { $0.reading?.powerWatts == 7000 })
        await site.running.pass(10)
        await charger.measure(
            [("Power.Active.Import", "7300", "W")], at: site.clock.now.addingTimeInterval(-7200))
        #expect(await site.shows { $0.reading?.powerWatts == 7300 })
        #expect(site.running.reading?.samples[.powerWatts]?.at == site.clock.now)
        await site.end()
    }

    @Test func valuesThatStayOutAreAskedForAndSaid() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        await charger.measure([("Power.Active.Import", "7000", "W")], at: site.clock.now)
        #expect(await site.shows { $0.health.state == .ok && $0.reading?.powerWatts == 7000 })
        #expect(await charger.call(2, of: "TriggerMessage") != nil)
        await site.running.pass(70)
        #expect(await site.shows { $0.health.state == .degraded && $0.reading?.powerWatts == nil })
        #expect(await charger.call(3, of: "TriggerMessage")?["requestedMessage"].string == "MeterValues")
        await charger.measure([("Power.Active.Import", "7000", "W")], at: site.clock.now)
        #expect(await site.shows { $0.health.state == .ok })
        await site.end()
    }

    @Test func whatCannotBeIsLeftOutAndSaid() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        await charger.measure(
            [("Power.Active.Import", "1e9", "W"), ("SoC", "NaN", "Percent"), ("Voltage", "230", "V")],
            at: site.clock.now)
        #expect(await site.shows { $0.health.state == .degraded && $0.health.reason?.contains("powerWatts") == true })
        #expect(site.running.reading?.powerWatts == nil)
        await site.end()
    }

    @Test(arguments: ["NaN", "Infinity", "1e99", "-1e99", "1e400", "", "many", "0", "99999999"])
    func aCounterThatCannotBeStaysWhatItWasWithItsAge(text: String) async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        let register = "Energy.Active.Import.Register"
        let began = site.clock.now
        let id = await charger.start(meter: 1000, at: began)
        await charger.measure([(register, "5000", "Wh")], at: began, transaction: id)
        #expect(await site.shows { $0.reading?[.importWattHours] == 5000 })
        await site.running.pass(20)
        await charger.measure(
            [(register, text, "Wh"), ("Power.Active.Import", "7000", "W")], at: site.clock.now, transaction: id)
        #expect(await site.shows { $0.reading?.powerWatts == 7000 && $0.health.state == .degraded })
        let reading = try #require(site.running.reading)
        #expect(reading.samples[.importWattHours] == Sample(5000, at: began))
        #expect(reading.samples[.sessionWattHours] == Sample(4000, at: began))
        #expect(site.running.health?.reason?.contains("importWattHours") == true)
        await site.running.pass(20)
        let later = site.clock.now
        await charger.measure([(register, "5100", "Wh")], at: later, transaction: id)
        #expect(await site.shows { $0.reading?.samples[.importWattHours] == Sample(5100, at: later) })
        #expect(site.running.reading?[.sessionWattHours] == 4100)
        await site.end()
    }

    @Test func aFaultIsSaidAndPasses() async throws {
        let site = try await Site()
        let charger = try await site.connect()
        await charger.say("Faulted", errorCode: "GroundFailure")
        #expect(
            await site.shows { $0.health.state == .degraded && $0.health.reason?.contains("GroundFailure") == true })
        await charger.say("Available")
        #expect(await site.shows { $0.health.state == .ok })
        await site.end()
    }

    @Test func oneThatNeverConnectsIsOfflineWithTheAddressItNeeds() async throws {
        let site = try await Site()
        #expect(site.running.health?.state == .starting)
        await site.running.pass(100)
        #expect(await site.shows { $0.health.state == .offline })
        #expect(site.running.health?.reason?.contains("/ocpp/CP1") == true)
        await #expect(throws: HubError.self) { try await site.running.perform(.limitCurrent(amps: 10)) }
        await site.end()
    }

    @Test func aConnectionThatEndsIsNotOfflineAtOnce() async throws {
        let site = try await Site()
        let charger = try await site.connect()
        #expect(await site.shows { $0.health.state == .ok })
        charger.client.leave()
        #expect(await site.shows { $0.health.state == .degraded })
        await site.running.pass(100)
        #expect(await site.shows { $0.health.state == .offline })
        _ = try await site.connect()
        #expect(await site.shows { $0.health.state == .ok })
        await site.end()
    }

    @Test func rubbishLeavesTheDeviceAsItIs() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        await charger.measure([("Power.Active.Import", "7000", "W")], at: site.clock.now)
        let rubbish = ["", "{}", "[2]", #"[2,"x"]"#, #"[9,"x",{}]"#, #"[3,"nobody",{}]"#, "\u{0}", "[[[[[[[["]
        for text in rubbish { charger.client.send(text) }
        charger.client.send(bytes: [0xFF, 0xFE])
        let answer = await charger.call("MeterValues", #"{"connectorId":1,"meterValue":"many"}"#)
        #expect(answer[0].number == 4 && answer[2].string == "TypeConstraintViolation")
        #expect(await charger.call("Nonsense")[2].string == "NotImplemented")
        #expect(await charger.call("DataTransfer", #"{"vendorId":"Acme"}"#)[2]["status"].string == "UnknownVendorId")
        #expect(await charger.call("Authorize", #"{"idTag":"A"}"#)[2]["idTagInfo"]["status"].string == "Accepted")
        #expect(await charger.call("FirmwareStatusNotification", #"{"status":"Installed"}"#)[0].number == 3)
        #expect(await site.shows { $0.health.state == .ok && $0.reading?.powerWatts == 7000 })
        #expect(site.log.texts(from: .warning).count <= 4, "\(site.log.texts(from: .warning))")
        await site.end()
    }

    @Test func inspectionShowsWhatWasSent() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        await charger.measure([("Power.Active.Import", "7.5", "kW")], at: site.clock.now)
        let points = try await site.running.device.inspect()
        let power = try #require(points.first { $0.name == "powerWatts" })
        #expect(power.value == "7500 W" && power.raw.contains(#""value":"7.5""#) && power.place == "MeterValues")
        #expect(points.first { $0.name == "status" }?.value == "Charging")
        #expect(points.first { $0.name == "charger" }?.value == "Acme Box")
        #expect(!points.contains { $0.raw.isEmpty || $0.place.isEmpty })
        await site.end()
    }
}
