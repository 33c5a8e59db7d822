import Foundation
import HubKit
import Testing

@Suite struct IdentityTests {
    @Test(arguments: ["a", "wallbox-1", "Heat_Pump", "0", String(repeating: "x", count: 64)])
    func aPlainNameIsADeviceID(text: String) throws {
        let id = try #require(DeviceID(text))
        #expect(id.rawValue == text)
        #expect(try JSONDecoder().decode([DeviceID].self, from: JSONEncoder().encode([id])) == [id])
    }

    @Test(arguments: [
        "", " ", "a b", "a/b", "a+b", "a#", "ä", "wärme", "a.b", "a\n", String(repeating: "x", count: 65),
    ])
    func whatWouldBreakATopicOrAnAddressIsNone(text: String) throws {
        #expect(DeviceID(text) == nil)
        let json = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([DeviceID].self, from: json) }
    }

    @Test func sampleOfNoNumberIsNone() {
        let now = Date(timeIntervalSince1970: 0)
        for value in [Double.nan, .infinity, -.infinity] { #expect(Sample(value, at: now) == nil) }
        var reading = DeviceReading(at: now)
        reading[.powerWatts] = .nan
        #expect(reading.powerWatts == nil)
        #expect(reading.currentAmps == nil)
        reading[.currentL2Amps] = 0
        #expect(reading.currentAmps == [nil, 0, nil])
    }

    @Test(arguments: Quantity.allCases) func everyQuantityNamesItsUnit(quantity: Quantity) {
        #expect(quantity == .phaseCount || !quantity.unit.isEmpty)
    }

    @Test(arguments: [
        (0.0, 0.0), (5.99, 0), (6, 6), (6.4, 6), (6.5, 6.5), (15.99, 15.5), (16, 16), (40, 16), (-3, 0), (.nan, 0),
    ])
    func aCurrentIsRoundedDownToAStepWithinTheRange(asked: Double, settable: Double) {
        #expect(CurrentRange(minimumAmps: 6, maximumAmps: 16, stepAmps: 0.5).settable(asked) == settable)
    }
}
