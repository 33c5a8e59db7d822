import Foundation
import Guidance
import Testing

@Suite struct EntsoePayloadTests {
    private func document(_ series: String...) -> String {
        "<Publication_MarketDocument xmlns='urn:iec62325.351'>\(series.joined())</Publication_MarketDocument>"
    }

    private func series(
        curve: String = "A03", sequence: Int? = nil, agreement: String = "A01", resolution: String = "PT15M",
        from start: String = "2026-01-05T00:00Z", to end: String = "2026-01-05T01:00Z",
        area: String = "10YBE----------2",
        _ points: [(position: Int, price: Double)]
    ) -> String {
        let position = sequence.map {
            "<classificationSequence_AttributeInstanceComponent.position>\($0)</classificationSequence_AttributeInstanceComponent.position>"
        }
        let rows = points.map {
            "<Point><position>\($0.position)</position><price.amount>\($0.price)</price.amount></Point>"
        }
        return """
            <TimeSeries><out_Domain.mRID codingScheme="A01">\(area)</out_Domain.mRID>
            <contract_MarketAgreement.type>\(agreement)</contract_MarketAgreement.type>\(position ?? "")
            <currency_Unit.name>EUR</currency_Unit.name><price_Measure_Unit.name>MWH</price_Measure_Unit.name>
            <curveType>\(curve)</curveType><Period><timeInterval><start>\(start)</start><end>\(end)</end></timeInterval>
            <resolution>\(resolution)</resolution>\(rows.joined())</Period></TimeSeries>
            """
    }

    @Test func positionsLeftOutAreFilledForward_G11() throws {
        let payload = document(series([(1, 100), (3, 200)]))
        #expect(
            try decoded("entsoe", payload) == [
                "00:00-00:15 0.1", "00:15-00:30 0.1", "00:30-00:45 0.2", "00:45-01:00 0.2",
            ])
    }

    @Test func withoutThatCurveAMissingPositionIsUnknown() throws {
        #expect(
            try decoded("entsoe", document(series(curve: "A01", [(1, 100), (3, 200)]))) == [
                "00:00-00:15 0.1", "00:30-00:45 0.2",
            ])
    }

    @Test func oneAuctionIsChosenForAll_G12() throws {
        let payload = document(
            series(sequence: 2, [(1, 999)]), series(sequence: 1, [(1, 100)]),
            series(sequence: 2, from: "2026-01-05T01:00Z", to: "2026-01-05T02:00Z", [(1, 999)]),
            series(sequence: 1, from: "2026-01-05T01:00Z", to: "2026-01-05T02:00Z", [(1, 200)]))
        let decoded = try decode("entsoe", payload)
        #expect(decoded.slots.map(\.value) == [0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2])
        #expect(decoded.source == "entsoe")
    }

    @Test func aLaterAuctionIsAMarkedSubstitute_G12() throws {
        #expect(try decode("entsoe", document(series(sequence: 2, [(1, 100)]))).source == "entsoe (auction 2)")
    }

    @Test func dayAheadGoesBeforeIntradayAndTheFinerTwinBeforeTheCoarser() throws {
        let payload = document(
            series(agreement: "A07", [(1, 999)]), series(resolution: "PT60M", [(1, 500)]), series([(1, 100)]),
            series(resolution: "PT60M", from: "2026-01-05T01:00Z", to: "2026-01-05T03:00Z", [(1, 300), (2, 400)]))
        #expect(
            try decoded("entsoe", payload).suffix(3) == ["00:45-01:00 0.1", "01:00-02:00 0.3", "02:00-03:00 0.4"])
    }

    @Test func severalDaysAreKept_G13() throws {
        let payload = document(
            series(from: "2026-01-05T00:00Z", to: "2026-01-06T00:00Z", [(1, 100)]),
            series(from: "2026-01-06T00:00Z", to: "2026-01-07T00:00Z", [(1, 200)]))
        #expect(try decode("entsoe", payload).slots.count == 192)
    }

    @Test(arguments: [("2026-03-28T23:00Z", "2026-03-29T22:00Z", 92), ("2026-10-24T22:00Z", "2026-10-25T23:00Z", 100)])
    func daysWhenClocksChangeHaveTheirOwnLength_G1(start: String, end: String, count: Int) throws {
        #expect(try decode("entsoe", document(series(from: start, to: end, [(1, 100)]))).slots.count == count)
    }

    @Test func anAcknowledgementMeansNothingPublished_G7() {
        let payload = """
            <Acknowledgement_MarketDocument><Reason><code>999</code><text>No matching data found</text></Reason></Acknowledgement_MarketDocument>
            """
        #expect(failure("entsoe", payload)?.kind == .guidanceUnavailable)
        #expect(failure("entsoe", payload)?.what == "No matching data found")
        #expect(failure("entsoe", payload.replacing("999", with: "B27"))?.kind == .serviceUnavailable)
    }

    @Test(arguments: [
        (
            "Unauthorized. Missing or invalid security token in query string for Data item ENERGY_PRICES.",
            PayloadError.Kind.permissionDenied
        ),
        ("Authentication failed: the token is not known", .permissionDenied),
        ("Max allowed requests per minute from each unique IP exceeded", .rateLimitExceeded),
        ("No matching data found for Data item Day-ahead Prices [12.1.D] (10YBE----------2)", .guidanceUnavailable),
        ("Input parameter does not exist", .serviceUnavailable),
    ])
    func anAcknowledgementIsWhatItsWordsSay(text: String, kind: PayloadError.Kind) {
        let payload =
            "<Acknowledgement_MarketDocument><Reason><code>999</code><text>\(text)</text></Reason></Acknowledgement_MarketDocument>"
        #expect(failure("entsoe", payload)?.kind == kind)
    }

    @Test(arguments: [
        ("PT1M", "0001-01-01T00:00Z", "1001-01-01T00:00Z"), ("PT1S", "2026-01-05T00:00Z", "2026-02-05T00:00Z"),
        ("PT1M", "2026-01-05T00:00Z", "9999-12-31T00:00Z"), ("PT15M", "2020-01-01T00:00Z", "2026-01-01T00:00Z"),
        ("PT99999999999999999999H", "2026-01-05T00:00Z", "2026-01-06T00:00Z"),
    ])
    func aPeriodIsNotLaidOutWithoutBound_G8(resolution: String, start: String, end: String) {
        let payload = document(series(resolution: resolution, from: start, to: end, [(1, 100)]))
        #expect(failure("entsoe", payload)?.kind == .malformed)
    }

    @Test func manyPeriodsAreNotEither_G8() {
        let year = series(from: "2025-01-01T00:00Z", to: "2026-01-01T00:00Z", [(1, 100)])
        #expect(failure("entsoe", document(year)) == nil)
        #expect(failure("entsoe", document(year, year, year))?.what.contains("more than 100000 prices") == true)
    }

    @Test func saysWhatIsWrong() {
        #expect(failure("entsoe", "<html><body>Unauthorized</body></html>")?.kind == .malformed)
        #expect(failure("entsoe", "no xml at all")?.kind == .malformed)
        #expect(failure("entsoe", document(series([(5, 1)])))?.what == "a point's position '5' is not in 1…4")
        #expect(failure("entsoe", document(series([(1, 1), (1, 2)])))?.what == "point 1 has two prices")
        #expect(
            failure("entsoe", document(series(resolution: "P1Y", [(1, 1)])))?.what
                == "the resolution 'P1Y' is not known")
        #expect(
            failure("entsoe", document(series([(1, 1)])), .init(area: "10YFR-RTE------C"))?.kind == .unsupportedRegion)
    }
}
