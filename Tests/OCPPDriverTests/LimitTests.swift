import Foundation
import HubKit
import TestSupport
import Testing

/// How limits reach a charger, and how seldom.
@Suite struct LimitTests {
    private func period(_ call: JSONValue?) -> JSONValue {
        call?["csChargingProfiles"]["chargingSchedule"]["chargingSchedulePeriod"][0] ?? .null
    }

    @Test func aLimitIsWrittenWhenItChangesAndOnlyThen() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        #expect(await site.shows { $0.reading != nil })
        #expect(try await site.running.perform(.limitCurrent(amps: 11)) == .applied)
        #expect(try await site.running.perform(.limitCurrent(amps: 11)) == .unchanged)
        let call = try #require(await charger.call(1, of: "SetChargingProfile"))
        let profile = call["csChargingProfiles"]
        #expect(call["connectorId"].number == 1 && period(call)["limit"].number == 11)
        #expect(profile["chargingProfilePurpose"].string == "TxDefaultProfile")
        #expect(profile["stackLevel"].number == 8 && profile["chargingProfileKind"].string == "Absolute")
        #expect(profile["chargingSchedule"]["chargingRateUnit"].string == "A")
        #expect(period(call)["numberPhases"] == .null)
        let begins = try #require(profile["chargingSchedule"]["startSchedule"].date)
        #expect(begins == site.clock.now.addingTimeInterval(-60))
        // Neither messages nor time write it again.
        for _ in 0..<5 { await charger.call("Heartbeat") }
        await site.running.pass(3600)
        #expect(try await site.running.perform(.limitCurrent(amps: 0)) == .applied)
        #expect(period(await charger.call(2, of: "SetChargingProfile"))["limit"].number == 0)
        #expect(await charger.calls("SetChargingProfile").count == 2)
        await site.end()
    }

    @Test(arguments: ["Power", "W", "power"])
    func aChargerThatCountsInWattsIsToldInWatts(_ unit: String) async throws {
        let site = try await Site { $0.limits.phases = 1 }
        let settings = VirtualCharger.settings(["ChargingScheduleAllowedChargingRateUnit": unit])
        let charger = try await site.connect(answers: ["GetConfiguration": settings])
        #expect(try await site.running.perform(.limitCurrent(amps: 10)) == .applied)
        let call = await charger.call(1, of: "SetChargingProfile")
        #expect(call?["csChargingProfiles"]["chargingSchedule"]["chargingRateUnit"].string == "W")
        #expect(period(call)["limit"].number == 2300)
        await site.end()
    }

    @Test func whatCannotBeAskedIsRefused() async throws {
        let site = try await Site()
        let charger = try await site.connect()
        for amps in [-1, .nan, .infinity, 3] {
            guard case .refused = try await site.running.perform(.limitCurrent(amps: amps)) else {
                Issue.record("\(amps) A is not refused")
                continue
            }
        }
        guard case .refused = try await site.running.perform(.usePhases(1)) else {
            Issue.record("phases are not refused")
            return
        }
        #expect(try await site.running.perform(.usePhases(3)) == .unchanged)
        #expect(await charger.calls("SetChargingProfile").isEmpty)
        await site.end()
    }

    @Test func aRefusedLimitIsTriedAgainLessAndLessOften() async throws {
        let site = try await Site()
        let charger = try await site.connect(answers: ["SetChargingProfile": VirtualCharger.rejected])
        guard case .refused = try await site.running.perform(.limitCurrent(amps: 10)) else {
            Issue.record("the refusal is not told")
            return
        }
        let first = await charger.calls("SetChargingProfile").count
        for _ in 0..<20 { await charger.call("Heartbeat") }
        #expect(await charger.calls("SetChargingProfile").count == first)
        await site.running.pass(7200)
        await charger.call("Heartbeat")
        #expect(await site.shows { $0.health.state == .degraded && $0.health.reason?.contains("Rejected") == true })
        // In two hours: after 30 s, 1, 2, 4 … minutes, and not each of the 720 times it looked.
        #expect(await charger.call(first + 1, of: "SetChargingProfile") != nil)
        let later = await charger.calls("SetChargingProfile").count - first
        #expect(later <= 12, "\(later) times")
        await charger.set("SetChargingProfile", VirtualCharger.accepted)
        #expect(try await site.running.perform(.limitCurrent(amps: 12)) == .applied)
        #expect(await site.shows { $0.health.state == .ok })
        await site.end()
    }

    @Test func aTransactionsOwnProfileIsTriedWhereTheDefaultIsRefused() async throws {
        let site = try await Site()
        let charger = try await site.connect(
            answers: ["SetChargingProfile": VirtualCharger.rejected], status: "Charging")
        let id = await charger.start(meter: 0, at: site.clock.now)
        _ = try await site.running.perform(.limitCurrent(amps: 10))
        let last = await charger.calls("SetChargingProfile").last
        #expect(last?["csChargingProfiles"]["chargingProfilePurpose"].string == "TxProfile")
        #expect(last?["csChargingProfiles"]["transactionId"].number == Double(id))
        await site.end()
    }

    @Test func afterARestartOfTheChargerItIsToldAgainAndAfterAReconnectNot() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        #expect(try await site.running.perform(.limitCurrent(amps: 9)) == .applied)
        charger.client.leave()
        #expect(await site.shows { $0.health.state == .degraded })
        let same = try await VirtualCharger.connect(port: site.port)
        await same.say("Charging")
        #expect(await site.shows { $0.health.state == .ok })
        await site.running.pass(60)
        #expect(await same.calls("SetChargingProfile").isEmpty)
        await same.boot()
        #expect(period(await same.call(1, of: "SetChargingProfile"))["limit"].number == 9)
        await site.running.pass(60)
        #expect(await same.calls("SetChargingProfile").count == 1)
        await site.end()
    }

    @Test func oneThatOffersMoreThanItWasToldIsToldAgainAtAPace() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        _ = await charger.start(meter: 0, at: site.clock.now)
        #expect(try await site.running.perform(.limitCurrent(amps: 8)) == .applied)
        for _ in 0..<60 {
            await site.running.pass(10)
            await charger.measure([("Current.Offered", "16", "A")], at: site.clock.now)
        }
        #expect(await charger.call(3, of: "SetChargingProfile") != nil)
        let told = await charger.calls("SetChargingProfile").count
        #expect(told <= 7, "in ten minutes: at once, then after 30 s, 1, 2 and 4 minutes, not 60 times: \(told)")
        let cleared = await charger.calls("ClearChargingProfile")
        #expect(cleared.first?["chargingProfilePurpose"].string == "TxProfile")
        #expect(await site.shows { $0.health.state == .degraded && $0.health.reason?.contains("offers more") == true })
        await site.running.pass(10)
        await charger.measure([("Current.Offered", "8", "A")], at: site.clock.now)
        #expect(await site.shows { $0.health.state == .ok })
        await site.end()
    }

    @Test func aChargerWithoutProfilesIsSwitchedOnAndOff() async throws {
        let site = try await Site()
        let settings = VirtualCharger.settings(["SupportedFeatureProfiles": "Core"])
        let charger = try await site.connect(answers: ["GetConfiguration": settings], status: "Charging")
        let id = await charger.start(meter: 0, at: site.clock.now)
        #expect(try await site.running.perform(.limitCurrent(amps: 0)) == .applied)
        #expect(await charger.call(1, of: "RemoteStopTransaction")?["transactionId"].number == Double(id))
        await charger.stop(id, meter: 10, at: site.clock.now)
        await charger.say("Finishing")
        #expect(try await site.running.perform(.limitCurrent(amps: 16)) == .applied)
        #expect(await charger.call(1, of: "RemoteStartTransaction")?["connectorId"].number == 1)
        #expect(await charger.calls("SetChargingProfile").isEmpty)
        #expect(await site.shows { $0.health.state == .degraded && $0.health.reason?.contains("can't be set") == true })
        await site.end()
    }

    @Test func aCarWithoutACardIsStartedWhenTheHubWantsItToCharge() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Preparing")
        #expect(try await site.running.perform(.limitCurrent(amps: 0)) == .applied)
        await site.running.pass(60)
        #expect(await charger.calls("RemoteStartTransaction").isEmpty)
        #expect(try await site.running.perform(.limitCurrent(amps: 16)) == .applied)
        #expect(await charger.call(1, of: "RemoteStartTransaction")?["idTag"].string == "OFFPEAK")
        _ = await charger.start(meter: 0, at: site.clock.now)
        await charger.say("Charging")
        await site.running.pass(600)
        #expect(await charger.calls("RemoteStartTransaction").count == 1)
        await site.end()
    }

    @Test func whereTheConfigurationSaysSoItIsNotStarted() async throws {
        let site = try await Site {
            guard case .ocpp(var connection) = $0.connection else { return }
            connection.startsRemotely = false
            $0.connection = .ocpp(connection)
        }
        let charger = try await site.connect(status: "Preparing")
        #expect(try await site.running.perform(.limitCurrent(amps: 16)) == .applied)
        await site.running.pass(600)
        await charger.call("Heartbeat")
        #expect(await charger.calls("RemoteStartTransaction").isEmpty)
        await site.end()
    }
}
