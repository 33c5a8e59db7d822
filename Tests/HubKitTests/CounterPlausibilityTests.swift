import Foundation
import HubKit
import Testing

/// What a counter can't have counted is left out of readings.
@Suite struct CounterPlausibilityTests {
    private static let noon = Date(timeIntervalSince1970: 1_772_452_800)

    /// Counter readings, ten seconds apart, and what of them is believed.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var quantity = Quantity.importWattHours
        var told: [Double]
        var believed: [Double?]
    }

    static let courses = [
        Course(
            testDescription: "0 for a moment", told: [4_321_000, 0, 4_321_002, 4_321_003],
            believed: [4_321_000, nil, 4_321_002, 4_321_003]),
        Course(
            testDescription: "0 now and then", told: [500, 0, 0, 501, 0, 502, 0, 0, 503],
            believed: [500, nil, nil, 501, nil, 502, nil, nil, 503]),
        Course(
            testDescription: "0 for half a minute in mid-session (S-2)", told: [20_000, 0, 0, 0, 20_100],
            believed: [20_000, nil, nil, nil, 20_100]),
        Course(
            testDescription: "a counter that begins anew at 0 is believed after a minute",
            told: [20_000] + [Double](repeating: 0, count: 8) + [3],
            believed: [20_000] + [Double?](repeating: nil, count: 6) + [0, 0, 3]),
        Course(
            testDescription: "a counter that begins anew above 0 is one at once (S-1)",
            told: [13_423_700, 200, 500, 900], believed: [13_423_700, 200, 500, 900]),
        Course(testDescription: "a new device's 0 is its count", told: [0, 0, 1, 2], believed: [0, 0, 1, 2]),
        Course(
            testDescription: "a session's counter begins at 0 with each", quantity: .sessionWattHours,
            told: [8_000, 0, 10], believed: [8_000, 0, 10]),
        Course(
            testDescription: "feed-in likewise", quantity: .exportWattHours, told: [900, 0, 901],
            believed: [900, nil, 901]),
    ]

    @Test(arguments: courses) func whatIsBelieved(course: Course) {
        var plausibility = Plausibility(PlausibleRanges())
        var believed: [Double?] = []
        for (index, value) in course.told.enumerated() {
            var reading = DeviceReading(at: Self.noon.addingTimeInterval(Double(index) * 10))
            reading[course.quantity] = value
            let complaint = plausibility.judge(&reading)
            believed.append(reading[course.quantity])
            if reading[course.quantity] == nil {
                #expect(complaint?.contains("\(course.quantity.rawValue) reads 0 after") == true, "\(complaint ?? "-")")
            }
        }
        #expect(believed == course.believed)
    }
}
