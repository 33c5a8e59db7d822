import Foundation
import HubKit
import TestSupport
import Testing

/// What the hub changes of a charger's settings when it connects.
@Suite struct SetupTests {
    @Test func whatIsAsWantedIsNotWritten() async throws {
        let site = try await Site()
        let charger = try await site.connect()
        // The last of what it does at a connection.
        #expect(await charger.call(2, of: "TriggerMessage")?["requestedMessage"].string == "MeterValues")
        #expect(await charger.calls("ChangeConfiguration").isEmpty)
        await site.end()
    }

    @Test func whatKeepsValuesAwayIsChanged() async throws {
        let site = try await Site()
        let settings = VirtualCharger.settings([
            "MeterValueSampleInterval": "0", "MeterValuesSampledData": "Energy.Active.Import.Register,Temperature",
            "WebSocketPingInterval": "0",
        ])
        let charger = try await site.connect(answers: ["GetConfiguration": settings])
        #expect(await charger.call(3, of: "ChangeConfiguration") != nil)
        var changed: [String: String] = [:]
        for call in await charger.calls("ChangeConfiguration") {
            changed[call["key"].string ?? ""] = call["value"].string ?? ""
        }
        #expect(
            changed == [
                "MeterValueSampleInterval": "10", "WebSocketPingInterval": "30",
                "MeterValuesSampledData":
                    "Energy.Active.Import.Register,Temperature,Power.Active.Import,Current.Import,Current.Offered,Voltage,SoC",
            ])
        await site.end()
    }

    @Test func whatIsRefusedIsNotTriedAtEachConnection() async throws {
        let site = try await Site()
        let answers = [
            "GetConfiguration": VirtualCharger.settings(["MeterValuesSampledData": "Energy.Active.Import.Register"]),
            "ChangeConfiguration": VirtualCharger.rejected,
        ]
        let charger = try await site.connect(answers: answers)
        // The whole list, then each of its five measurands alone.
        #expect(await charger.call(6, of: "ChangeConfiguration") != nil)
        #expect(await charger.call(2, of: "TriggerMessage") != nil)
        let again = try await site.connect(answers: answers)
        #expect(await again.call(2, of: "TriggerMessage") != nil)
        #expect(await again.calls("ChangeConfiguration").isEmpty)
        await site.end()
    }

    @Test func whatMayOnlyBeReadIsLeftAlone() async throws {
        let site = try await Site()
        let keys: Set = ["MeterValueSampleInterval", "MeterValuesSampledData"]
        let settings = VirtualCharger.settings(
            ["MeterValueSampleInterval": "300", "MeterValuesSampledData": "SoC"], readOnly: keys)
        let charger = try await site.connect(answers: ["GetConfiguration": settings])
        #expect(await charger.call(2, of: "TriggerMessage") != nil)
        #expect(await charger.calls("ChangeConfiguration").isEmpty)
        await site.end()
    }

    @Test func aChargerThatKnowsNothingOfAllThisWorksAllTheSame() async throws {
        let site = try await Site()
        let charger = try await VirtualCharger.connect(port: site.port)
        for action in VirtualCharger.usual.keys { await charger.set(action, nil) }
        await charger.boot()
        await charger.say("Charging")
        await charger.measure([("Power.Active.Import", "7000", "W")], at: site.clock.now)
        #expect(await site.shows { $0.reading?.powerWatts == 7000 && $0.health.state == .ok })
        await site.end()
    }

    @Test func aChargerThatDidNotStartAnewIsAskedWhatItIsAndDoes() async throws {
        let site = try await Site()
        let charger = try await VirtualCharger.connect(port: site.port)
        #expect(await charger.call(3, of: "TriggerMessage") != nil)
        let asked = await charger.calls("TriggerMessage").map { $0["requestedMessage"].string }
        #expect(asked == ["BootNotification", "StatusNotification", "MeterValues"])
        // What it says then is no restart: it keeps its limit.
        await charger.say("Charging")
        #expect(try await site.running.perform(.limitCurrent(amps: 9)) == .applied)
        await charger.boot()
        await site.running.pass(60)
        #expect(await charger.calls("SetChargingProfile").count == 1)
        await charger.boot()
        #expect(await charger.call(2, of: "SetChargingProfile") != nil)
        await site.end()
    }
}
