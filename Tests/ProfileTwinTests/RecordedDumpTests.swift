import Foundation
import HubKit
import ProfileKit
import TestSupport
import Testing
import WebServer

/// Where recorded answers lie, where they are here.
private enum RecordedAnswers {
    static let folder: URL? = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("shared/data/devices/recorded")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        }
        return nil
    }()
}

/// Whole answers that real devices gave, as people published them, read through a real HTTP server to known values.
///
/// The files lie beside the project and not in it; each has a twin of our own, so that nothing is untried without them.
@Suite(.enabled(if: RecordedAnswers.folder != nil, "the recorded answers are not here"), .timeLimit(.minutes(2)))
struct RecordedDumpTests {
    struct Dump: Sendable, CustomTestStringConvertible {
        var profile: String
        /// The recorded file and the keys that lead into it, by path.
        var answers: [String: String]
        var reading: [Quantity: Double]
        var isComplete = true
        var testDescription: String { "\(profile), \(answers.values.sorted().joined(separator: ", "))" }
    }

    static let dumps = [
        Dump(
            profile: "fronius-solar-api-grid",
            answers: ["/solar_api/v1/GetPowerFlowRealtimeData.fcgi": "fronius_gen24_storage_powerflow.json"],
            reading: [.powerWatts: 2274.9]),
        Dump(
            profile: "fronius-solar-api-grid",
            answers: ["/solar_api/v1/GetPowerFlowRealtimeData.fcgi": "fronius_symo_powerflow_night.json"],
            reading: [.powerWatts: 975.31]),
        Dump(
            profile: "fronius-solar-api-battery",
            answers: ["/solar_api/v1/GetPowerFlowRealtimeData.fcgi": "fronius_gen24_storage_powerflow.json"],
            reading: [.powerWatts: 0.15907810628414154, .stateOfChargePercent: 4.6]),
        Dump(
            profile: "homewizard", answers: ["/api/v1/data": "homewizard_p1_v1_data_3phase.json"],
            reading: [
                .powerWatts: -543, .powerL1Watts: -676, .powerL2Watts: 133, .powerL3Watts: 0, .currentL1Amps: -4,
                .currentL2Amps: 2, .currentL3Amps: 0, .importWattHours: 13_779_338, .exportWattHours: 0,
            ], isComplete: false),
        Dump(
            profile: "homewizard", answers: ["/api/v1/data": "homewizard_kwh3_v1_data.json"],
            reading: [
                .powerWatts: 7100.278, .powerL1Watts: 0, .powerL2Watts: 3547.015, .powerL3Watts: 3553.263,
                .currentL2Amps: 15.521, .currentL3Amps: 15.477, .importWattHours: 2_940_101, .exportWattHours: 0,
            ], isComplete: false),
        Dump(
            profile: "enphase-envoy-solar",
            answers: ["/production.json?details=1": "enphase_envoy_7.6.175_production.json"],
            reading: [.powerWatts: 488.154, .importWattHours: 3_183_793.303], isComplete: false),
        Dump(
            profile: "enphase-envoy-grid",
            answers: ["/production.json?details=1": "enphase_envoy_7.6.175_production.json"],
            reading: [.powerWatts: -11.468]),
        Dump(
            profile: "shelly-pro-3em",
            answers: [
                "/rpc/EM.GetStatus?id=0": "shelly_pro3em_rpc.json status em:0",
                "/rpc/EMData.GetStatus?id=0": "shelly_pro3em_rpc.json status emdata:0",
            ],
            reading: [
                .powerWatts: 558.965, .powerL1Watts: 375.5, .powerL2Watts: 170.8, .powerL3Watts: 12.7,
                .currentL1Amps: 2.392, .currentL2Amps: 1.037, .currentL3Amps: 0.428, .voltageL1Volts: 229,
                .voltageL2Volts: 229, .voltageL3Volts: 229.2, .frequencyHertz: 50, .importWattHours: 2_589_773.39,
                .exportWattHours: 1026.61,
            ]),
        Dump(
            profile: "peblar",
            answers: [
                "/api/wlac/v1/evinterface": "peblar_evinterface.json", "/api/wlac/v1/meter": "peblar_meter.json",
            ], reading: [.limitAmps: 16, .voltageL1Volts: 230, .importWattHours: 880_321, .powerWatts: 0],
            isComplete: false),
    ]

    private static func body(_ place: String, in folder: URL) throws -> [UInt8] {
        let parts = place.split(separator: " ").map(String.init)
        let data = try Data(contentsOf: folder.appendingPathComponent(parts[0]))
        guard parts.count > 1 else { return Array(data) }
        var value: Any = try JSONSerialization.jsonObject(with: data)
        for key in parts.dropFirst() { value = try #require((value as? [String: Any])?[key]) }
        return Array(try JSONSerialization.data(withJSONObject: value))
    }

    @Test(arguments: dumps) func isReadToItsKnownValues(dump: Dump) async throws {
        let folder = try #require(RecordedAnswers.folder)
        let bodies = try dump.answers.mapValues { try Self.body($0, in: folder) }
        let server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            let target = request.path + (query.isEmpty ? "" : "?" + query)
            return bodies[target].map { .json($0) } ?? .notFound
        }
        try await server.start()
        let profile = try #require(ProfileLibrary.shipped[dump.profile])
        var address = DeviceAddress("http://127.0.0.1:\(try #require(await server.boundPort))")
        if case .http(let requests) = profile.link, requests.logins.first?.takesToken == true { address.token = "any" }
        let session = try #require(
            try await DeviceNetworks().session(profile, .http(address), clock: ManualClock(), zone: .gmt))
        let reading = await session.result(try await session.read(), at: Date(timeIntervalSince1970: 1_700_000_000))
            .reading
        for (quantity, value) in dump.reading {
            let told = try #require(reading[quantity], "\(quantity)")
            #expect(abs(told - value) <= 1e-6 * max(1, abs(value)), "\(quantity): \(told)")
        }
        if dump.isComplete { #expect(Set(reading.samples.keys) == Set(dump.reading.keys)) }
        await server.stop(within: .zero)
    }
}
