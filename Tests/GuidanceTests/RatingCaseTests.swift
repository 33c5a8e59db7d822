import Foundation
import Guidance
import Testing

@Suite struct RatingCaseTests {
    private func rate(_ json: String) throws -> [Double] {
        try RateRequest(json: Data(json.utf8)).answer().values.map(\.rating)
    }

    private func question(price: String, carbon: String = "[]", weights: String = #"{"price": 1, "carbon": 1}"#)
        -> String
    {
        """
        {"weights": \(weights), "horizon": {"start": "2026-01-05T00:00:00Z", "end": "2026-01-06T00:00:00Z"},
         "price": \(price), "carbon": \(carbon)}
        """
    }

    private func hours(_ values: [Double]) throws -> String {
        let slots = try series(values).slots.map {
            #"{"start": "\#(InstantText.text($0.start))", "end": "\#(InstantText.text($0.end))", "value": \#($0.value)}"#
        }
        return "[\(slots.joined(separator: ","))]"
    }

    @Test func aFlatDayIsNeutral_G9() throws {
        #expect(try rate(question(price: hours(Array(repeating: 0.31, count: 24)))) == Array(repeating: 0.5, count: 24))
    }

    @Test func oneCriticalHourOfAFlatDayIsWorstAndTheRestNeutral() throws {
        var prices = Array(repeating: 0.31, count: 24)
        prices[18] = 1.10
        let ratings = try rate(question(price: hours(prices)))
        #expect(ratings[18] == 1)
        #expect(ratings.enumerated().allSatisfy { $0.offset == 18 || $0.element == 0.5 })
    }

    @Test func negativePricesNeedNoSpecialCase_G4() throws {
        let ratings = try rate(question(price: hours([-0.40, -0.05, 0.00, 0.10])))
        #expect(ratings.allSatisfy { (0...1).contains($0) })
        #expect(ratings == ratings.sorted())
        #expect(ratings[0] == 0)
        #expect(ratings[1] > 0)
    }

    /// Worked by hand: eight equal steps 0…0.7; the bands [0.05, 0.10] and [0.90, 0.95] lie in the first and last slot, so lo = 0, hi = 0.7.
    @Test func followsTheFormula() throws {
        let ratings = try rate(question(price: hours((0..<8).map { Double($0) / 10 })))
        for (index, rating) in ratings.enumerated() { #expect(abs(rating - Double(index) / 7) < 1e-12) }
    }

    @Test func historyIsWhatAShortHorizonIsJudgedAgainst() throws {
        let text = question(price: try hours([0.30, 0.31])).replacing(
            #""carbon": []"#,
            with: """
                "history": {"price": [
                  {"start": "2026-01-04T00:00:00Z", "end": "2026-01-04T12:00:00Z", "value": 0.10},
                  {"start": "2026-01-04T12:00:00Z", "end": "2026-01-05T00:00:00Z", "value": 0.20}]}
                """)
        #expect(try rate(text).allSatisfy { $0 == 1 })
    }

    @Test(arguments: [
        (#"{"horzon": {}}"#, "$.horzon: this key is not known here; did you mean 'horizon'?"),
        (
            #"{"horizon": {"start": "2026-01-05T00:00:00Z", "end": "2026-01-06T00:00:00Z"}, "history": {"prices": []}}"#,
            "$.history.prices: this key is not known here; did you mean 'price'?"
        ),
        (
            #"{"horizon": {"start": "2026-01-05T00:00:00Z", "end": "2026-01-06T00:00:00Z"}, "carbon": [{"start": "2026-01-05T00:00:00Z", "end": "2026-01-05T01:00:00Z", "valu": 1}]}"#,
            "$.carbon[0].valu: this key is not known here; did you mean 'value'?"
        ),
        (#"{"horizon": 3}"#, "$.horizon is not an object"), (#"{}"#, "$.horizon is missing"), ("[", "it is not JSON"),
        (
            #"{"horizon": {"start": "2026-01-06T00:00:00Z", "end": "2026-01-05T00:00:00Z"}}"#,
            "$.horizon: it ends at or before its start"
        ),
        (#"{"horizon": {"start": "today", "end": "2026-01-05T00:00:00Z"}}"#, "$.horizon.start: 'today' is no time"),
        (
            #"{"horizon": {"start": "2026-01-05T00:00:00Z", "end": "2026-01-06T00:00:00Z"}, "weights": {"price": -1, "carbon": 0}}"#,
            "$.weights.price: it is below zero"
        ),
        (
            #"{"horizon": {"start": "2026-01-05T00:00:00Z", "end": "2026-01-06T00:00:00Z"}, "price": [{"start": "2026-01-05T00:00:00Z", "end": "2026-01-05T01:00:00Z", "value": "x"}]}"#,
            "$.price[0].value is not a number"
        ),
        (
            #"{"horizon": {"start": "2026-01-05T00:00:00Z", "end": "2026-01-06T00:00:00Z"}, "price": [{"start": "2026-01-05T02:00:00Z", "end": "2026-01-05T01:00:00Z", "value": 1}]}"#,
            "$.price[0]: it ends at"
        ),
    ])
    func namesThePathOfABadInput(json: String, said: String) throws {
        let error = #expect(throws: RateRequest.Fault.self) { try RateRequest(json: Data(json.utf8)) }
        #expect(try #require(error).description.contains(said))
    }

    @Test func answersAsJSON() throws {
        let answer = try RateRequest(json: Data(question(price: hours([0.1])).utf8)).answer()
        #expect(
            String(decoding: try answer.json(), as: UTF8.self)
                == #"{"values":[{"end":"2026-01-05T01:00:00Z","rating":0.5,"start":"2026-01-05T00:00:00Z"}]}"#)
    }
}

/// The cases that the project shares with its acceptance checks.
@Suite(.enabled(if: sharedGuidance != nil)) struct SharedRatingCaseTests {
    private struct Case: Decodable {
        struct Value: Decodable {
            let start: String
            let end: String
            let rating: Double
        }

        let expected: [Value]
        let tolerance: Double
    }

    @Test func everySharedCaseIsMetWithinItsTolerance() throws {
        let folder = try #require(sharedGuidance).appendingPathComponent("rating")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
        #expect(!files.isEmpty)
        for file in files {
            let json = try Data(contentsOf: file)
            let expected = try JSONDecoder().decode(Case.self, from: json)
            let answer = try RateRequest(json: json).answer()
            #expect(answer.values.count == expected.expected.count, "\(file.lastPathComponent)")
            for (value, wanted) in zip(answer.values, expected.expected) {
                #expect(InstantText.text(value.start) == wanted.start, "\(file.lastPathComponent)")
                #expect(InstantText.text(value.end) == wanted.end, "\(file.lastPathComponent)")
                #expect(
                    abs(value.rating - wanted.rating) <= expected.tolerance, "\(file.lastPathComponent) \(wanted.start)"
                )
            }
        }
    }
}
