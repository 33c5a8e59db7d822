import Foundation
import TestSupport
import Testing

/// The whole hub as a process, with chargers that connect to it.
@Suite struct OCPPHubTests {
    /// A configuration with one charger and its folder.
    private struct House {
        let folder: TemporaryFolder
        let configuration: URL

        init(connection: String = "{ocpp: CP1}", port: Int = 0, http: String = "", more: String = "") throws {
            folder = try TemporaryFolder()
            _ = try folder.write("s3cret\n", to: "password")
            configuration = try folder.write(
                """
                data: data
                http: {listen: "127.0.0.1:\(port)"\(http)}
                venues:
                  - {name: Home, time_zone: Europe/Berlin, currency: EUR, connection: {phases: 3, amps: 20}, rate_plan: {flat: 0.30}}
                devices:
                  - {id: garage, driver: ocpp, connection: \(connection), limits: {max_amps: 16}, mode: "off"}
                \(more)
                """, to: "offpeak.yaml")
        }

        func token() async throws -> String {
            let outcome = try await HubProcess.offpeak(
                "token", "create", "--role", "operator", "--config", configuration.path)
            return String(try #require(outcome.standardOutput.split(separator: "\n").last))
        }
    }

    private static let tls = ", tls: {listen: '127.0.0.1:0', certificate_file: hub.pem, key_file: hub.key}"
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let peer = folder.appendingPathComponent("Peer/charger.py").path
    // Not standardized: that would follow the link out of the virtual environment, to a Python without the client.
    private static let python = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent(".venv/bin/python3").path
    private static let hasPeer = FileManager.default.isExecutableFile(atPath: python)

    private func device(_ hub: HubProcess) async throws -> JSONValue {
        try await hub.client().get("/api/v1/devices/garage").json
    }

    @Test(.enabled(if: hasPeer, "scripts/install-packages test installs the Python client"), arguments: [false, true])
    func aClientOfOthersMakingSpendsAnEveningWithTheHub(isEncrypted: Bool) async throws {
        let house = try House(connection: "{ocpp: CP1, password_file: password}", http: isEncrypted ? Self.tls : "")
        if isEncrypted { try await CertificateAuthority.makeSelfSigned(in: house.folder, name: "hub") }
        let hub = try await HubProcess.run(house.configuration)
        let port = try #require(await hub.port)
        var way = ["ws://127.0.0.1:\(port)/ocpp/CP1", "s3cret"]
        if isEncrypted {
            let line = try await hub.said("listening at https://")
            let encrypted = try #require(line.split(separator: ":").last.flatMap { Int($0) })
            way = ["wss://localhost:\(encrypted)/ocpp/CP1", "s3cret", house.folder.file("hub.pem").path]
        }
        let api = try await hub.client().with(token: house.token())
        let charger = try ChildProcess(Self.python, [Self.peer] + way)
        func said(_ text: String) async throws {
            try await charger.waitForLine(containing: text, timeout: .seconds(60))
        }
        try await said("connected ocpp1.6")
        try await said("boot Accepted 60")
        try await said("status Preparing")
        // Its library refuses a list with SoC, so that each measurand is tried alone.
        try await said("setting MeterValuesSampledData Energy.Active.Import.Register,Power.Active.Import")
        try await said("setting MeterValueSampleInterval 10")
        try await said("trigger MeterValues")
        #expect(await eventually { try await device(hub)["health"]["state"].string == "ok" })
        #expect(try await device(hub)["reading"]["plug"].string == "plugged")

        #expect(try await api.send("PUT", "/api/v1/devices/garage/mode", body: #"{"mode":"now"}"#).status < 300)
        // Without a grid meter a charger may have half of the home's 20 A.
        try await said("limit 10.0 A connector 1")
        try await said("remote start OFFPEAK")
        try await said("authorize Accepted")
        try await said("measured 6900 W")
        #expect(
            await eventually {
                let reading = try await device(hub)["reading"]
                return reading["powerWatts"].number == 6900 && reading["charging"].string == "charging"
                    && reading["importWattHours"].number == 101_500 && reading["sessionEnergyWattHours"].number == 1_500
                    && reading["currentL3Amps"].number == 10
            })

        #expect(try await api.send("PUT", "/api/v1/devices/garage/mode", body: #"{"mode":"off"}"#).status < 300)
        try await said("limit 0.0 A connector 1")
        try await said("stopped Accepted")
        try await said("done")
        #expect(await eventually { try await device(hub)["reading"]["plug"].string == "unplugged" })
        #expect(!charger.output.contains { $0.contains("Traceback") || $0.contains("ERROR") }, "\(charger.output)")
        #expect(await hub.terminate().status == 0)
        _ = await charger.waitUntilExit()
        #expect(charger.output.last?.hasPrefix("closed") == true, "\(charger.output)")
    }

    @Test func aTransactionGoesOnOverAKillOfTheHub_D10() async throws {
        let port = try LoopbackPort.free()
        let house = try House(port: port)
        let hub = try await HubProcess.run(house.configuration)
        let charger = try await VirtualCharger.connect(port: port)
        await charger.boot()
        await charger.say("Charging")
        let began = Date(timeIntervalSince1970: 1_790_000_000)
        let id = await charger.start(meter: 10_000, at: began)
        #expect(id > 0)
        await hub.kill()
        try await hub.restart()
        let same = try await VirtualCharger.connect(port: port)
        await same.say("Charging")
        await same.measure([("Energy.Active.Import.Register", "12000", "Wh")], at: began, transaction: id)
        #expect(await eventually { try await device(hub)["reading"]["sessionEnergyWattHours"].number == 2_000 })
        #expect(await same.start(meter: 10_000, at: began) == id)
        #expect(await hub.terminate().status == 0)
    }

    @Test func atItsEndTheHubLeavesTheChargerAtASafeCurrent() async throws {
        let house = try House()
        let hub = try await HubProcess.run(house.configuration)
        let port = try #require(await hub.port)
        let api = try await hub.client().with(token: house.token())
        let charger = try await VirtualCharger.connect(port: port)
        await charger.boot()
        await charger.say("Charging")
        #expect(try await api.send("PUT", "/api/v1/devices/garage/mode", body: #"{"mode":"now"}"#).status < 300)
        // What it offers is beyond what the connection bears unwatched.
        #expect(await charger.call(1, of: "SetChargingProfile") != nil)
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        await charger.measure([("Current.Offered", "16", "A")], at: now)
        #expect(await eventually { try await device(hub)["reading"]["limitAmps"].number == 16 })
        let before = await charger.calls("SetChargingProfile").count
        #expect(await hub.terminate().status == 0)
        let last = await charger.call(before + 1, of: "SetChargingProfile")
        let period = last?["csChargingProfiles"]["chargingSchedule"]["chargingSchedulePeriod"][0]
        #expect(period?["limit"].number == 10)
    }

    @Test func strangersAreRefusedAndSaidOnce() async throws {
        let house = try House(connection: "{ocpp: CP1, password_file: password}")
        let hub = try await HubProcess.run(house.configuration)
        let port = try #require(await hub.port)
        for _ in 0..<3 {
            await #expect(throws: WebSocketClient.Refused(status: 404)) {
                try await VirtualCharger.connect(port: port, "stranger")
            }
            await #expect(throws: WebSocketClient.Refused(status: 401)) {
                try await VirtualCharger.connect(port: port, "CP1")
            }
        }
        try await hub.said("'stranger'")
        try await hub.said("'CP1' came without the right password")
        #expect(await hub.terminate().status == 0)
        let output = await hub.output
        #expect(output.filter { $0.contains("'stranger'") }.count == 1)
        #expect(output.filter { $0.contains("right password") }.count == 1)
    }

    @Test func checkNamesWhatIsWrong() async throws {
        let second =
            "  - {id: second, driver: ocpp, connection: {ocpp: cp1}, limits: {max_amps: 16}}\n"
            + "  - {id: third, driver: ocpp, connection: {host: 192.0.2.7}, limits: {max_amps: 16}}\n"
            + "  - {id: fourth, driver: ocpp, connection: {ocpp: CP4}}\n"
            + "  - {id: fifth, driver: ev, profile: keba-p30, connection: {ocpp: CP5}}"
        let house = try House(more: second)
        let outcome = try await HubProcess.offpeak("check", house.configuration.path)
        #expect(outcome.status == 2)
        let said = outcome.standardError + outcome.standardOutput
        for text in [
            "is the charger 'cp1' already", "connects to the hub by itself", "OCPP does not tell the charger's highest",
            "no profile speaks OCPP",
        ] {
            #expect(said.contains(text), "\(said)")
        }
    }

    @Test func checkWarnsOfAChargerThatNobodyReachesOrKnows() async throws {
        let closed = try House()
        let unreachable = try await HubProcess.offpeak("check", closed.configuration.path)
        #expect(unreachable.status == 0)
        #expect(unreachable.standardError.contains("where no charger in the network reaches it"))
        #expect(unreachable.standardOutput.contains("OCPP CP1"))
        let text = try String(contentsOf: closed.configuration, encoding: .utf8)
        let open = try closed.folder.write(
            text.replacingOccurrences(of: "127.0.0.1:0", with: "0.0.0.0:8484"), to: "open.yaml")
        let unknown = try await HubProcess.offpeak("check", open.path)
        #expect(unknown.status == 0)
        #expect(unknown.standardError.contains("without a password anyone"))
    }

    @Test func readWaitsForTheChargerAndShowsWhatItSent() async throws {
        let port = try LoopbackPort.free()
        let house = try House(port: port)
        let reading = try HubProcess.launch(["read", "garage", "--config", house.configuration.path])
        try await reading.said("waiting for the charger")
        let charger = try await VirtualCharger.connect(port: port)
        await charger.boot()
        await charger.say("Charging")
        await charger.measure(
            [("Power.Active.Import", "7.5", "kW")], at: Date(timeIntervalSince1970: 1_790_000_000))
        let line = try await reading.said("powerWatts")
        #expect(line.contains("7500 W") && line.contains(#""unit":"kW""#))
        #expect(await reading.child.waitUntilExit() == 0)
    }
}
