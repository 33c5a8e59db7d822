import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// Methods, and answers that a client has already.
    @Suite struct MethodTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        @Test(
            arguments: [
                ("/api/v1/devices", "GET, HEAD, OPTIONS"), ("/api/v1/devices/car/mode", "PUT, DELETE, OPTIONS"),
                ("/api/v1/devices/car/goal", "PUT, DELETE, OPTIONS"),
                ("/api/v1/session", "GET, HEAD, POST, DELETE, OPTIONS"),
                ("/healthz", "GET, HEAD, OPTIONS"), ("/readyz", "GET, HEAD, OPTIONS"),
                ("/metrics", "GET, HEAD, OPTIONS"),
                ("/", "GET, HEAD, OPTIONS"),
            ]) func anAddressNamesItsMethods(path: String, methods: String) async throws
        {
            let options = try await demo.anyone.send("OPTIONS", path)
            #expect(options.status == 204 && options.headers["allow"] == methods, "\(options)")
            #expect(options.headers["access-control-allow-origin"] == nil)
            for method in ["PATCH", "TRACE", "PUT"] where !methods.contains(method) {
                let answer = try await demo.operator.send(method, path, body: "{}")
                expectProblem(answer, 405, "method", saying: methods)
                #expect(answer.headers["allow"] == methods, "\(answer)")
            }
        }

        @Test func whatIsOnlyChangedIsNotRead() async throws {
            for path in ["/api/v1/devices/car/mode", "/api/v1/venues/\(demo.venue)/events"] {
                expectProblem(try await demo.operator.get(path), 405, "method")
            }
            expectProblem(try await demo.anyone.send("OPTIONS", "/api/v1/nosuch"), 404, "notFound")
        }

        @Test(arguments: ["/api/v1/openapi.json", "/api/v1/venues", "/api/v1/events?device=nobody", "/style.css", "/"])
        func whatHasNotChangedIsNotSentAgain(path: String) async throws {
            let first = try await demo.anyone.get(path)
            let tag = try #require(first.headers["etag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && first.headers["cache-control"] == "no-cache")
            for asked in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let second = try await demo.anyone.get(path, headers: [("If-None-Match", asked)])
                #expect(second.status == 304 && second.body.isEmpty && second.headers["etag"] == tag, "\(second)")
            }
            let other = try await demo.anyone.get(path, headers: [("If-None-Match", "\"x\"")])
            #expect(other.status == 200 && other.body == first.body)
            let head = try await demo.anyone.send("HEAD", path)
            #expect(head.status == 200 && head.body.isEmpty && head.headers["etag"] == tag)
            #expect(head.headers["content-length"] == String(first.body.count))
        }

        @Test func faultsAndCredentialsHaveNoTag() async throws {
            #expect(try await demo.anyone.get("/api/v1/nosuch").headers["etag"] == nil)
            let body = "{\"token\":\"\(demo.operator.token ?? "")\"}"
            let signedIn = try await demo.anyone.send("POST", "/api/v1/session", body: body)
            #expect(signedIn.status == 200 && signedIn.headers["etag"] == nil)
        }

        @Test func requestsWithoutCredentialDoNotKeepEachOtherWaiting() async throws {
            let demo = demo
            let path =
                "/api/v1/venues/\(demo.venue)/insights/energy?device=car&start=2024-01-01T00:00:00Z"
                + "&end=2024-04-06T00:00:00Z&granularity=hourly"
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await demo.anyone.get(path).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 16))
        }
    }
}
