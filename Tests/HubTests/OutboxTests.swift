import Foundation
import TestSupport
import Testing
import ThreadKit
import WebServer

extension HubTests {
    /// Sinks of the configuration as a person uses them: where events go, what was refused, and sending it again.
    @Suite struct OutboxTests {
        /// A webhook's other side that answers with the status it was told last.
        private final class Endpoint: Sendable {
            private let server: WebServer
            private let status = Locked(200)
            private let bodies = Locked<[String]>([])
            let port: Int

            init() async throws {
                let (status, bodies) = (status, bodies)
                let server = WebServer(configuration: WebServerConfiguration()) { request in
                    let now = status.current
                    if now == 0 { try? await Task.sleep(for: .seconds(600)) }
                    if now == 200 {
                        bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
                    }
                    return .text("so it is", status: now == 0 ? 503 : now)
                }
                try await server.start()
                self.server = server
                port = await server.boundPort ?? 0
            }

            func answer(_ code: Int) { status.withLock { $0 = code } }

            /// How many of the events arrived.
            func count(of ids: [String]) -> Int {
                let text = bodies.current.joined()
                return ids.count { text.contains("\"id\":\"\($0)\"") }
            }

            func stop() async { await server.stop(within: .zero) }
        }

        private func household(_ port: Int, history: Bool = false) throws -> Household {
            let home = try Household(
                more:
                    "sinks: {webhook: {url: \"http://127.0.0.1:\(port)/\", secret_file: secret, history: \(history)}}"
            )
            try home.folder.write("s3cret\n", to: "secret")
            return home
        }

        @Test(.timeLimit(.minutes(2))) func refusedEventsAreShownAndSentAgain() async throws {
            let endpoint = try await Endpoint()
            let home = try household(endpoint.port)
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            endpoint.answer(422)
            #expect(try await source.post(source.batch(1), client).status == 202)
            let isRefused = await eventually {
                try await client.get("/api/v1/outbox").json["sinks"][1]["deadLetters"].number
                    == Double(LoadEventSource.batchSize)
            }
            #expect(isRefused)
            let letters = try await client.get("/api/v1/outbox/webhook/dead-letters").json["deadLetters"]
                .array
            #expect(Set(letters.compactMap { $0["event"]["id"].string }) == Set(source.ids(1)))
            var paged: [JSONValue] = []
            var after = "0"
            while !after.isEmpty {
                let page = try await client.get("/api/v1/outbox/webhook/dead-letters?limit=2&after=\(after)").json
                paged += page["deadLetters"].array
                after = page["after"].string ?? ""
            }
            #expect(paged == letters)
            #expect(letters.allSatisfy { $0["reason"].string?.contains("422") == true })
            let metrics = try await client.get("/metrics").text
            #expect(metrics.contains("offpeak_outbox_dead_letters{sink=\"webhook\"} 5.0"), "\(metrics)")

            endpoint.answer(200)
            let environment = ["OFFPEAK_URL": "http://127.0.0.1:\(client.port)", "OFFPEAK_TOKEN": token]
            func outbox(_ arguments: String...) async throws -> ChildProcess.Outcome {
                try await ChildProcess.run(
                    HubProcess.executable, ["outbox"] + arguments, environment: environment)
            }
            let shown = try await outbox("dead", "webhook")
            #expect(shown.status == 0 && shown.standardOutput.contains("422"), "\(shown)")
            let first = try #require(letters.first?["sequence"].number)
            let part = try await outbox("dead", "webhook", "--limit", "2", "--after", String(Int(first)))
            #expect(part.status == 0 && part.standardError.contains("--after"), "\(part)")
            for (path, body) in [("retry", #"{"a":1}"#), ("resend", #"{"sequences":[1.5]}"#)] {
                let refused = try await client.send("POST", "/api/v1/outbox/webhook/\(path)", body: body)
                #expect(refused.status == 400 && !refused.text.contains("not JSON"), "\(refused.text)")
            }
            let one = try await outbox("resend", "webhook", String(Int(first)))
            #expect(one.status == 0 && one.standardOutput.contains("1 event was queued"), "\(one)")
            let rest = try await outbox("resend", "webhook")
            #expect(rest.status == 0 && rest.standardOutput.contains("4 events were queued"), "\(rest)")
            #expect(await eventually { endpoint.count(of: source.ids(1)) == LoadEventSource.batchSize })
            let none = try await outbox("resend", "webhook", "99999")
            #expect(none.status == 3 && none.standardError.contains("event 99999 is not among"), "\(none)")
            let list = try await outbox()
            #expect(list.status == 0 && list.standardOutput.contains("webhook"), "\(list)")
            let nobody = try await outbox("retry", "nobody")
            #expect(nobody.status == 3 && nobody.standardError.contains("local, webhook"), "\(nobody)")
            #expect(await hub.terminate().status == 0)
            await endpoint.stop()
        }

        @Test(.timeLimit(.minutes(2))) func aSinkAddedLaterGetsThePastWhereItIsWanted() async throws {
            let endpoint = try await Endpoint()
            let home = try Household()
            let token = try await home.token()
            let first = try await home.run()
            let client = try await first.client().with(token: token)
            let source = try await LoadEventSource(client)
            #expect(try await source.post(source.batch(1), client).status == 202)
            #expect(await first.terminate().status == 0)

            // The same data folder, with a sink that is not given the past.
            let later = try household(endpoint.port)
            try FileManager.default.removeItem(at: home.configuration)
            try FileManager.default.copyItem(at: later.configuration, to: home.configuration)
            try home.folder.write("s3cret\n", to: "secret")
            let second = try await home.run()
            let again = try await second.client().with(token: token)
            #expect(try await source.post(source.batch(2), again).status == 202)
            #expect(await eventually { endpoint.count(of: source.ids(2)) == LoadEventSource.batchSize })
            #expect(endpoint.count(of: source.ids(1)) == 0)
            // What it has may still wait for the hub to note that.
            let isEmpty = await eventually {
                try await again.get("/api/v1/outbox").json["sinks"].array.allSatisfy { $0["depth"].number == 0 }
            }
            #expect(isEmpty)
            let answer = try await again.send("POST", "/api/v1/outbox/webhook/replay")
            #expect(answer.status == 202 && answer.json["queued"].number == 10, "\(answer)")
            #expect(await eventually { endpoint.count(of: source.ids(1)) == LoadEventSource.batchSize })
            #expect(await second.terminate().status == 0)
            await endpoint.stop()
        }

        @Test(.timeLimit(.minutes(2))) func aSinkThatNeverAnswersDoesNotHoldTheEndUpAndNothingIsLost()
            async throws
        {
            let endpoint = try await Endpoint()
            let home = try household(endpoint.port)
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            endpoint.answer(0)
            #expect(try await source.post(source.batch(1), client).status == 202)
            let end = await hub.terminate()
            #expect(end.status == 0 && end.took < .seconds(5), "\(end)")
            endpoint.answer(200)
            try await hub.restart()
            #expect(await eventually { endpoint.count(of: source.ids(1)) == LoadEventSource.batchSize })
            #expect(await hub.terminate().status == 0)
            await endpoint.stop()
        }

        @Test(
            arguments: [
                ("webhook: {}", "url"), ("webhook: {url: nowhere}", "'nowhere' is not an address"),
                ("webhook: {url: \"http://me:you@192.0.2.1/\"}", "holds a user or password"),
                ("webhook: {url: \"http://192.0.2.1/\", secret_file: missing}", "missing"),
                ("influxdb: {url: \"http://192.0.2.1/\"}", "needs a bucket or a database"),
                ("influxdb: {url: \"http://192.0.2.1/\", bucket: b}", "a bucket needs org and token_file"),
                ("postgresql: {host: h, user: u}", "database"),
                ("postgresql: {host: h, user: u, database: d, schema: \"x; DROP\"}", "can't be a schema"),
                ("postgresql: {host: h, user: u, database: d, tls: maybe}", "tls"),
                ("postgresql: {host: h, user: u, database: d, pasword_file: x}", "password_file"),
            ])
        func aWrongSinkIsSaidWithItsPlace(line: String, said: String) async throws {
            let home = try Household(more: "sinks: {\(line)}")
            let outcome = try await HubProcess.offpeak("check", home.configuration.path)
            #expect(outcome.status == 2 && outcome.standardError.contains("error:"), "\(outcome)")
            #expect(outcome.standardError.contains(said), "\(outcome.standardError)")
        }
    }
}
