import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// The page and its parts.
    @Suite struct PageTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        @Test(arguments: [
            ("/", "text/html"), ("/index.html", "text/html"), ("/app.js", "text/javascript"),
            ("/style.css", "text/css"),
            ("/icon.svg", "image/svg+xml"), ("/assets/app.js", "text/javascript"),
        ])
        func thePageIsServedForThisSiteOnly(path: String, type: String) async throws {
            let answer = try await demo.anyone.get(path)
            #expect(answer.status == 200 && answer.contentType == type && !answer.body.isEmpty)
            let policy = try #require(answer.headers["content-security-policy"])
            for word in ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
                #expect(policy.contains(word))
            }
            #expect(!policy.contains("unsafe") && answer.headers["x-content-type-options"] == "nosniff")
            let head = try await demo.anyone.send("HEAD", path)
            #expect(head.status == 200)
        }

        @Test func everyPartThatThePageNamesIsThere() async throws {
            let page = try await demo.anyone.get("/").text
            let names = page.matches(of: #/(?:src|href)="([^"#:]+)"/#).map { String($0.output.1) }
            #expect(!names.isEmpty)
            for name in names {
                let path = name.hasPrefix("/") ? name : "/" + name
                #expect(try await demo.anyone.get(path).status == 200, "\(name)")
            }
        }

        @Test func whatTheScriptsLookForIsOnThePage() async throws {
            let page = try await demo.anyone.get("/").text
            let ids = Set(page.matches(of: #/ id="([^"]+)"/#).map { String($0.output.1) })
            var waiting = ["/assets/app.js"]
            var seen: Set<String> = []
            while let path = waiting.popLast() {
                guard seen.insert(path).inserted else { continue }
                let script = try await demo.anyone.get(path)
                #expect(script.status == 200, "\(path)")
                let wanted = script.text.matches(of: #/byID\("([^"]+)"\)/#).map { String($0.output.1) }
                #expect(ids.isSuperset(of: wanted), "\(path): \(Set(wanted).subtracting(ids))")
                waiting += script.text.matches(of: #/from "\.\/([^"]+)"/#).map { "/assets/\($0.output.1)" }
            }
            #expect(seen.contains("/assets/outbox.js") && seen.count > 10)
        }

        @Test(arguments: [
            "/../demo/README.md", "/..%2Fdemo%2FREADME.md", "/%2e%2e/demo/README.md", "/assets/../../demo/README.md",
            "/assets/..%2f..%2fdemo%2fREADME.md", "//etc/passwd", "/%2Fetc%2Fpasswd", "/.hidden", "/app.js%00.css",
            "/assets/", "/assets/nosuch.js", "/README.md", "/..",
        ])
        func nothingLeadsOutOfThePagesFolder(path: String) async throws {
            let answer = try await demo.anyone.get(path)
            #expect([400, 404].contains(answer.status), "\(path): \(answer.status) \(answer.text.prefix(80))")
            #expect(!answer.text.contains("root:") && !answer.text.contains("RepeatingSeries"))
        }

        @Test func thePageIsOnlyRead() async throws {
            expectProblem(try await demo.operator.send("POST", "/", body: "{}"), 405, "method")
        }
    }
}
