import Testing
import WebClient

@Suite struct AnswerHeadTests {
    private static let now = 1_700_000_000
    private static let inTwoMinutes = "Tue, 14 Nov 2023 22:15:20 GMT"

    @Test(
        arguments: [
            ("0", .zero), ("120", .seconds(120)), (inTwoMinutes, .seconds(120)),
            ("Tuesday, 14-Nov-23 22:15:20 GMT", .seconds(120)), ("Mon, 13 Nov 2023 00:00:00 GMT", .zero),
            ("-1", nil), ("soon", nil), ("", nil), ("99999999999999999999", .seconds(31_536_000)),
            ("999999999999", .seconds(31_536_000)),
        ] as [(String, Duration?)])
    func readsRetryAfter(text: String, expected: Duration?) {
        let head = WebAnswerHead(status: 503, headers: ["Retry-After": text])
        #expect(head.retryAfter(now: Self.now) == expected)
    }

    @Test func saysNothingWithoutAField() {
        let head = WebAnswerHead(status: 200, headers: [:])
        #expect(head.retryAfter(now: Self.now) == nil)
        #expect(head.freshness(now: Self.now) == nil)
        #expect(head.validator == nil)
        #expect(head.contentType == "")
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], .seconds(60)), (["Cache-Control": "public, Max-Age = 60"], .seconds(60)),
            (["Cache-Control": "max-age=60", "Expires": inTwoMinutes], .seconds(60)),
            (["Cache-Control": "no-cache, max-age=60"], .zero), (["Cache-Control": "no-store"], .zero),
            (["Cache-Control": "private"], nil), (["Expires": inTwoMinutes], .seconds(120)), (["Expires": "0"], .zero),
            (["Expires": inTwoMinutes, "Date": "Tue, 14 Nov 2023 22:15:00 GMT"], .seconds(20)),
            (["Expires": "Mon, 13 Nov 2023 00:00:00 GMT"], .zero), (["Cache-Control": "max-age=-5"], .zero),
        ] as [(WebHeaders, Duration?)])
    func readsFreshness(headers: WebHeaders, expected: Duration?) {
        #expect(WebAnswerHead(status: 200, headers: headers).freshness(now: Self.now) == expected)
    }

    @Test(arguments: [
        ("application/json", "application/json"),
        ("Application/Problem+JSON; charset=utf-8", "application/problem+json"),
        (" text/plain ;q=1", "text/plain"), ("", ""),
    ])
    func readsTheMediaType(text: String, expected: String) {
        #expect(WebAnswerHead(status: 200, headers: ["content-type": text]).contentType == expected)
    }

    @Test func aValidatorAsksByTheBetterOfTheTwo() {
        let request = WebRequest("GET", "http://h/", headers: ["If-None-Match": "old"])
        let both = request.unlessUnchanged(since: WebValidator(entityTag: "\"a\"", lastModified: "then"))
        #expect(both.headers["If-None-Match"] == "\"a\"")
        #expect(both.headers["If-Modified-Since"] == nil)
        let date = request.unlessUnchanged(since: WebValidator(entityTag: nil, lastModified: "then"))
        #expect(date.headers["If-None-Match"] == nil)
        #expect(date.headers["If-Modified-Since"] == "then")
        #expect(request.unlessUnchanged(since: nil).headers.fields.isEmpty)
        #expect(WebValidator(entityTag: nil, lastModified: nil) == nil)
    }
}
