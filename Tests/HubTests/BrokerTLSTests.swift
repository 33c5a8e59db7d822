import Foundation
import MQTT
import TestSupport
import Testing

extension HubTests {
    /// The hub and its devices at a broker that speaks TLS with a certificate of its own.
    @Suite(
        .enabled(
            if: MosquittoBroker.isInstalled && ChildProcess.path(of: "openssl") != nil,
            "the mosquitto broker or openssl is not installed"), .timeLimit(.minutes(3)))
    struct BrokerTLSTests {
        @Test func theHubAndADeviceAreThereAndAStrangerIsNotTrusted() async throws {
            let folder = try TemporaryFolder()
            for name in ["server", "other"] { try await CertificateAuthority.makeSelfSigned(in: folder, name: name) }
            let broker = try await MosquittoBroker(
                settings: ["certfile \(folder.path)/server.pem", "keyfile \(folder.path)/server.key"])
            var settings = MQTTConfiguration(host: "localhost", port: broker.port)
            settings.tls = .init(authorityFile: folder.file("server.pem").path)
            let client = try MQTTClient(settings)
            await client.start()
            for await state in await client.states() where state == .connected { break }
            let saying = Task {
                while !Task.isCancelled {
                    for name in ["own", "named", "stranger"] {
                        _ = try? await client.publish(
                            #"{"SML":{"power_curr":-740.5,"total_in":4321.125,"total_out":12.5}}"#,
                            to: "tele/\(name)/SENSOR")
                    }
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            defer { saying.cancel() }
            let device = "driver: meter, profile: tasmota-sml, role: load, poll_seconds: 0.5"
            let parts = "parameters: {meter: SML}"
            func at(_ authority: String) -> String {
                "broker: \"localhost:\(broker.port)\", ca_file: \(folder.path)/\(authority).pem, \(parts)}"
            }
            let home = try Household(
                devices: [
                    "id: own, \(device), connection: {topic: own, \(parts)}",
                    "id: named, \(device), connection: {topic: named, \(at("server"))",
                    "id: stranger, \(device), connection: {topic: stranger, \(at("other"))",
                ], more: "mqtt: {host: localhost, port: \(broker.port), tls: true, ca_file: \(folder.path)/server.pem}")
            let hub = try await home.run()
            let api = try await hub.client()
            for id in ["own", "named"] {
                let isRead = await eventually {
                    try await api.get("/api/v1/devices/\(id)").json["reading"]["powerWatts"].number == -740.5
                }
                let device = try await api.get("/api/v1/devices/\(id)").json
                #expect(isRead, "\(id): \(device)")
            }
            let isSaid = await eventually {
                let health = try await api.get("/api/v1/devices/stranger").json["health"]
                return health["state"].string == "offline" && health["reason"].string?.contains("no connection") == true
            }
            #expect(isSaid)
            for await message in try await client.messages(matching: "offpeak/status") {
                #expect(message.text == "online")
                break
            }
            #expect(await hub.terminate().status == 0)
        }

        @Test func theHubAndADeviceShowTheirCertificateWhereABrokerAsksForOne() async throws {
            let folder = try TemporaryFolder()
            let authority = try await CertificateAuthority(in: folder)
            let (server, own) = try await (authority.issue("broker"), authority.issue("hub"))
            let broker = try await MosquittoBroker(settings: [
                "cafile \(authority.certificate)", "certfile \(server.certificate)", "keyfile \(server.key)",
                "require_certificate true", "use_identity_as_username true",
            ])
            let files =
                "ca_file: \(authority.certificate), certificate_file: \(own.certificate), key_file: \(own.key)"
            let home = try Household(
                devices: [
                    "id: meter, driver: meter, profile: tasmota-sml, role: load, connection: {topic: head, "
                        + "broker: \"localhost:\(broker.port)\", \(files), parameters: {meter: SML}}"
                ], more: "mqtt: {host: localhost, port: \(broker.port), \(files)}")
            let checked = try await HubProcess.offpeak("check", home.configuration.path)
            #expect(checked.status == 0, "\(checked.standardError)")
            let hub = try await home.run()
            var settings = MQTTConfiguration(host: "localhost", port: broker.port)
            settings.tls = .init(
                authorityFile: authority.certificate, certificateFile: own.certificate, keyFile: own.key)
            let client = try MQTTClient(settings)
            await client.start()
            for await message in try await client.messages(matching: "offpeak/status") where message.text == "online" {
                break
            }
            _ = try await client.publish(
                #"{"SML":{"power_curr":12.5,"total_in":4321.125,"total_out":12.5}}"#, to: "tele/head/SENSOR")
            let api = try await hub.client()
            let isRead = await eventually {
                // The first may have come before the device listened.
                _ = try await client.publish(
                    #"{"SML":{"power_curr":12.5,"total_in":4321.125,"total_out":12.5}}"#, to: "tele/head/SENSOR")
                return try await api.get("/api/v1/devices/meter").json["reading"]["powerWatts"].number == 12.5
            }
            #expect(isRead)
            #expect(await hub.terminate().status == 0)
        }

        /// What can be wrong with files for a broker, and the words of `check` about it.
        enum BrokenFile: CaseIterable, Sendable {
            case pairIsNone, authorityIsNone, authorityIsDamaged, sound

            var words: String {
                switch self {
                case .pairIsNone: "mqtt.key_file: the key in "
                case .authorityIsNone: "mqtt.ca_file: "
                case .authorityIsDamaged: "has no certificate in PEM that can be read"
                case .sound: ""
                }
            }
        }

        @Test(arguments: BrokenFile.allCases)
        func checkAndCollectNameAFileThatCannotBeUsed(broken: BrokenFile) async throws {
            let folder = try TemporaryFolder()
            let authority = try await CertificateAuthority(in: folder)
            let (own, other) = try await (authority.issue("hub"), authority.issue("other"))
            var (file, key) = (authority.certificate, own.key)
            switch broken {
            case .pairIsNone: key = other.key
            case .authorityIsNone: file = try folder.write("rubbish\n", to: "rubbish").path
            case .authorityIsDamaged:
                file = try folder.write("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n", to: "d").path
            case .sound: break
            }
            let home = try Household(
                more:
                    "mqtt: {host: localhost, ca_file: \(file), certificate_file: \(own.certificate), key_file: \(key)}")
            let checked = try await HubProcess.offpeak("check", home.configuration.path)
            #expect(checked.status == (broken == .sound ? 0 : 2), "\(checked)")
            #expect(broken == .sound || checked.standardError.contains(broken.words), "\(checked.standardError)")
            guard broken != .sound else { return }
            // It would be the same however often it is tried.
            let collecting = try await HubProcess.offpeak(
                "collect", "--brokers", "localhost:1", "--database", "postgresql://a@localhost:1/b", "--ca-file", file,
                "--certificate-file", own.certificate, "--key-file", key)
            #expect(collecting.status == 2, "\(collecting)")
            #expect(
                collecting.standardError.contains(
                    broken == .pairIsNone ? "does not belong to" : "no certificate in PEM"))
        }

        @Test func anExpiredCertificateIsAWarning() async throws {
            let folder = try TemporaryFolder()
            let authority = try await CertificateAuthority(in: folder)
            let own = try await authority.issue("hub")
            let old = try await authority.issue("old", key: own.key, fromDay: -10, untilDay: -5)
            let files = "certificate_file: \(old), key_file: \(own.key)"
            let home = try Household(more: "mqtt: {host: localhost, \(files)}")
            let checked = try await HubProcess.offpeak("check", home.configuration.path)
            #expect(checked.status == 0)
            #expect(checked.standardError.contains("warning: mqtt.certificate_file: the certificate in"))
            #expect(checked.standardError.contains("expired on 20"))
        }
    }
}
