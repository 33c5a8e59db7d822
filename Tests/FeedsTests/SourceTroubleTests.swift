import Feeds
import Foundation
import Guidance
import HubKit
import Storage
import TestSupport
import Testing
import WebServer

/// What a provider can do wrong, each by a real server, and what becomes of it.
@Suite struct SourceTroubleTests {
    private static let day = Date(timeIntervalSince1970: 1_770_073_200)  // 2026-02-02T23:00:00Z, midnight in Berlin

    @Test(arguments: [
        (401, "", "permissionDenied"), (403, #"{"message":"no such plan"}"#, "permissionDenied"),
        (402, "", "permissionDenied"), (404, "", "unsupportedRegion"), (400, "bad area", "unsupportedRegion"),
        (422, "", "unsupportedRegion"), (429, "", "rateLimitExceeded"),
        (500, "<html>oops</html>", "serviceUnavailable"),
        (502, "", "serviceUnavailable"), (503, "", "serviceUnavailable"), (408, "", "serviceUnavailable"),
        (204, "", "guidanceUnavailable"), (200, "", "guidanceUnavailable"),
        (200, #"{"data":[]}"#, "guidanceUnavailable"),
        (200, "<html>login</html>", "malformed"), (200, #"{"data":"#, "malformed"), (200, "[1,2]", "malformed"),
        (200, #"{"data":[{"start_timestamp":"now","end_timestamp":1,"marketprice":1,"unit":"Eur/MWh"}]}"#, "malformed"),
        (200, #"{"data":[{"start_timestamp":0,"end_timestamp":1,"marketprice":"1","unit":"Eur/MWh"}]}"#, "malformed"),
        (200, #"{"data":[{"start_timestamp":0,"end_timestamp":1,"marketprice":1,"unit":"Sheep"}]}"#, "malformed"),
    ])
    func eachRefusalIsItsError(status: Int, body: String, kind: String) async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in
            status == 204 ? .noContent : .bytes(Array(body.utf8), contentType: "text/plain", status: status)
        }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        let state = await source.status()
        #expect(state.lastError?.hasPrefix(kind + ": ") == true, "\(state.lastError ?? "no error")")
        #expect(state.staleSince == bench.clock.now)
        #expect(await bench.delivery(source).series == nil)
        #expect(bench.log.texts(from: .warning).count == 1)
        await server.stop()
        await store.close()
    }

    @Test func aProviderThatIsNotThereIsUnavailable() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let source = try await bench.source(at: "http://127.0.0.1:\(try LoopbackPort.free())", store)
        await source.fetch()
        #expect(await source.status().lastError?.hasPrefix("serviceUnavailable: no connection") == true)
        await store.close()
    }

    @Test(arguments: [true, false])
    func anAnswerThatBreaksOffOrNeverEndsIsUnavailable(closes: Bool) async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let start = Array("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"data\":[".utf8)
        let server = try BrokenServer(start, closes: closes)
        let source = try await bench.source(at: "http://127.0.0.1:\(server.port)", store, seconds: 0.5)
        await source.fetch()
        #expect(await source.status().lastError?.hasPrefix("serviceUnavailable: ") == true)
        await store.close()
    }

    @Test func anAnswerOfTenMegabytesIsRefused() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in
            .json(Array(repeating: UInt8(ascii: " "), count: 10 << 20))
        }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        let error = await source.status().lastError
        #expect(error?.contains("longer than") == true, "\(error ?? "no error")")
        await server.stop()
        await store.close()
    }

    @Test func aPackedAnswerIsUnpacked() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in
            guard case .bytes(let plain) = awattar(from: Self.day, hours: 48).body else { return .status(500) }
            return .json(gzip(plain), headers: [("Content-Encoding", "gzip")])
        }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        #expect(await source.status().lastError == nil)
        #expect(await bench.delivery(source).series?.slots.count == 48)
        await server.stop()
        await store.close()
    }

    private static let lies: [(String, Double, Double)] = [
        ("prices in cents and not in euros", 100, 0), ("a series from last year", 1, -365 * 86_400),
        ("a series of next month", 1, 40 * 86_400),
    ]

    @Test(arguments: lies)
    func whatIsNotToBeBelievedLeavesTheLastGoodInForce_G8(
        what: String, factor: Double, shift: Double
    ) async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 48) }
        let source = try await bench.source(at: server.address, store)
        await source.fetch()
        let good = await bench.delivery(source).series
        #expect(good?.slots.count == 48)
        server.answer { _ in
            awattar(from: Self.day.addingTimeInterval(shift), hours: 48) { _ in 90 * factor }
        }
        await bench.clock.advance(by: 3600)
        await source.fetch()
        let error = await source.status().lastError
        #expect(error?.hasPrefix("malformed: the figures are not to be believed") == true, "\(what): \(error ?? "-")")
        #expect(await bench.delivery(source).series == good)
        #expect(await source.status().staleSince == bench.clock.now)
        await server.stop()
        await store.close()
    }

    @Test func aKeyIsInNoErrorLogOrStatus() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let secret = "s3cr3t+key/with=marks"
        let file = try bench.folder.write(secret + "\n", to: "key")
        let server = try await ProviderServer { question in
            // A provider that says the key back, as some do.
            let said = question.headers["authorization"] ?? question.target
            return .json(Array(#"{"message":"the token '\#(said)' is not known"}"#.utf8), status: 401)
        }
        for provider in ["tibber", "entsoe", "forecast-solar", "watttime"] {
            let source = try await bench.source(provider, at: server.address, store, key: SourceKey(file: file)) {
                $0.area = provider == "entsoe" ? "FR" : "X"
                $0.plane = .init(latitude: 50, longitude: 8, declination: 30, azimuth: 0, peakWatts: 5000)
            }
            await source.fetch()
            let status = await source.status()
            let stored = try await store.source(named: status.name)
            let all =
                ["\(status)", "\(await bench.delivery(source))", stored?.state ?? "", "\(SourceKey(file: file))"]
                + bench.log.texts()
            #expect(status.lastError?.hasPrefix("permissionDenied") == true, "\(provider): \(status.lastError ?? "-")")
            for text in all {
                for form in [secret, SourceRequest.encoded(secret), Data(secret.utf8).base64EncodedString()] {
                    #expect(!text.contains(form), "\(provider)")
                }
            }
        }
        // The provider did get it.
        #expect(server.questions.contains { $0.headers["authorization"] == "Bearer \(secret)" })
        #expect(server.questions.contains { $0.target.contains("securityToken=\(secret)") })
        await server.stop()
        await store.close()
    }

    @Test func aKeyFileThatIsMissingIsDeniedWithoutAsking() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let server = try await ProviderServer { _ in .status(200) }
        let key = SourceKey(file: bench.folder.file("nothing"))
        let source = try await bench.source("tibber", at: server.address, store, key: key) { _ in }
        await source.fetch()
        #expect(await source.status().lastError?.hasPrefix("permissionDenied: the key file") == true)
        #expect(server.questions.isEmpty)
        await server.stop()
        await store.close()
    }
}
