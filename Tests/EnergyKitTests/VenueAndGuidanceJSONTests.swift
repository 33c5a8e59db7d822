import EnergyKit
import Foundation
import Testing

@Suite struct VenueAndGuidanceJSONTests {
    static let venueJSON = packed(
        """
        {"currency":"EUR","homeID":"0B4D2E0C-4B2F-4E58-9C0F-6C6D1B0E7A11",
        "id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","name":"Home","timeZone":"Europe/Berlin"}
        """)
    static let guidanceJSON = packed(
        """
        {"action":"shift","energyVenueID":"3F2504E0-4F89-41D3-9A0C-0305E82C3301",
        "guidanceToken":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
        "interval":{"end":"2026-03-29T02:00:00Z","start":"2026-03-29T00:00:00Z"},
        "issuedAt":"2026-03-28T23:55:00.250Z",
        "options":["locationHasRatePlan","guidanceIncorporatesRatePlan"],
        "values":[{"end":"2026-03-29T01:00:00Z","gramsCO2PerKWh":210,"pricePerKWh":-0.02,"rating":0.1,
        "start":"2026-03-29T00:00:00Z"},
        {"end":"2026-03-29T02:00:00Z","rating":0.875,"start":"2026-03-29T01:00:00Z"}]}
        """)

    @Test func venueKeepsItsShape() throws {
        let venue = try read(EnergyVenue.self, Self.venueJSON)
        #expect(venue.name == "Home" && venue.currency == "EUR" && venue.timeZone.identifier == "Europe/Berlin")
        #expect(venue.homeID == UUID(uuidString: "0B4D2E0C-4B2F-4E58-9C0F-6C6D1B0E7A11"))
        #expect(try json(venue) == Self.venueJSON)
    }

    @Test func whatAVenueDoesNotHaveIsAbsent() throws {
        let text = #"{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","name":"","timeZone":"GMT","homeID":null}"#
        let venue = try read(EnergyVenue.self, text)
        #expect(venue.homeID == nil && venue.currency == nil)
        #expect(try json(venue) == #"{"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","name":"","timeZone":"GMT"}"#)
    }

    @Test(arguments: [
        #"{"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","name":"Home"}"#,
        #"{"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","name":"Home","timeZone":"Europe/Atlantis"}"#,
        #"{"id":"home","name":"Home","timeZone":"Europe/Berlin"}"#,
    ])
    func venueWithoutAZoneOrIdentifierIsRefused(_ text: String) {
        #expect(throws: DecodingError.self) { try read(EnergyVenue.self, text) }
    }

    @Test func guidanceKeepsItsShape() throws {
        let guidance = try read(ElectricityGuidance.self, Self.guidanceJSON)
        #expect(guidance.suggestedAction == .shift && guidance.options.count == 2 && guidance.values.count == 2)
        #expect(guidance.interval.duration == 7_200)
        #expect(guidance.values[0].pricePerKWh == -0.02 && guidance.values[0].gramsCO2PerKWh == 210)
        #expect(guidance.values[1].pricePerKWh == nil && guidance.values[1].gramsCO2PerKWh == nil)
        #expect(guidance.issuedAt == Date(timeIntervalSince1970: 1_774_742_100.25))
        #expect(try json(guidance) == Self.guidanceJSON)
    }

    @Test func datesDoNotDependOnTheCoder() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        let guidance = try read(ElectricityGuidance.self, Self.guidanceJSON)
        #expect(String(decoding: try encoder.encode(guidance), as: UTF8.self) == Self.guidanceJSON)
    }

    @Test func offsetsAreReadAndUTCIsWritten() throws {
        let value = try read(
            ElectricityGuidance.Value.self,
            #"{"start":"2026-03-29T01:00:00+01:00","end":"2026-03-29T03:00:00+02:00","rating":1,"pricePerKWh":null}"#)
        #expect(try json(value) == #"{"end":"2026-03-29T01:00:00Z","rating":1,"start":"2026-03-29T00:00:00Z"}"#)
    }

    @Test func signalsThatAreNoNumbersAreAbsent() throws {
        let value = ElectricityGuidance.Value(
            interval: SurfaceTests.hour, rating: 0.5, pricePerKWh: .nan, gramsCO2PerKWh: .infinity)
        #expect(
            try json(value) == #"{"end":"2026-03-29T01:00:00Z","rating":0.5,"start":"2026-03-29T00:00:00Z"}"#)
    }

    @Test func ratingThatIsNoNumberIsAnErrorAndNoTrap() {
        let value = ElectricityGuidance.Value(interval: SurfaceTests.hour, rating: .nan)
        #expect(throws: EncodingError.self) { try json(value) }
    }

    @Test(arguments: [
        #"{"start":"2026-03-29T01:00:00Z","end":"2026-03-29T00:00:00Z","rating":1}"#,
        #"{"start":"2026-03-29T01:00:00","end":"2026-03-29T02:00:00Z","rating":1}"#,
        #"{"start":"2026-03-29T01:00:00Z","end":"2026-03-29T02:00:00Z"}"#,
    ])
    func valuesThatCannotBeAreRefused(_ text: String) {
        #expect(throws: DecodingError.self) { try read(ElectricityGuidance.Value.self, text) }
    }

    @Test func queriesKeepTheirShape() throws {
        let query = ElectricityGuidance.Query(suggestedAction: .reduce)
        #expect(try json(query) == #"{"action":"reduce"}"#)
        #expect(try read(ElectricityGuidance.Query.self, #"{"action":"shift"}"#).suggestedAction == .shift)
        let text = packed(
            """
            {"flowDirection":"exported","granularity":"hourly","options":["cleanliness","tariff"],
            "range":{"end":"2026-03-29T01:00:00Z","start":"2026-03-29T00:00:00Z"}}
            """)
        let insight = try read(ElectricityInsightQuery.self, text)
        #expect(insight.options == [.tariff, .cleanliness] && insight.granularity == .hourly)
        #expect(try json(insight) == text)
    }
}
