import EnergyKit
import Foundation
import Testing

@Suite struct DateTextTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0),
        ("2001-01-01T00:00:00Z", 978_307_200),
        ("2000-02-29T12:00:00Z", 951_825_600),
        ("2026-03-29T00:00:00Z", 1_774_742_400),
        ("2026-03-29T02:00:00+02:00", 1_774_742_400),
        ("2026-03-28T19:00:00-0500", 1_774_742_400),
        ("2026-03-29T05:45:00+05:45", 1_774_742_400),
        ("2026-03-29T01:00:00+01", 1_774_742_400),
        ("2026-03-29t00:00:00z", 1_774_742_400),
        ("2026-03-29T00:00Z", 1_774_742_400),
        ("2026-03-29T00:00-00:00", 1_774_742_400),
        ("2026-03-29T00:00:00.5Z", 1_774_742_400.5),
        ("2026-03-29T00:00:00,250+00:00", 1_774_742_400.25),
        ("2026-03-29T00:00:00.7500000000000000000000Z", 1_774_742_400.75),
        ("2100-02-28T23:59:59Z", 4_107_542_399),
        ("1969-12-31T23:59:59Z", -1),
    ])
    func readsTimesWithAnyOffset(_ text: String, _ seconds: Double) {
        #expect(EnergyKitJSON.date(from: text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.999999999Z", "", "Z", "2026",
        "2026-03-29", "2026-03-29T00:00:00", "2026-03-29 00:00:00Z", "20260329T000000Z",
        "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-00-10T00:00:00Z",
        "2026-13-10T00:00:00Z", "2026-04-31T00:00:00Z", "2026-04-00T00:00:00Z", "2026-04-01T24:00:00Z",
        "2026-04-01T23:60:00Z", "2026-04-01T23:59:60Z", "2026-04-01T00:00:00.Z", "2026-04-01T00:00:00+24:00",
        "2026-04-01T00:00:00+01:60", "2026-04-01T00:00:00+1", "2026-04-01T00:00:00+01:", "2026-04-01T00:00:00ZZ",
        "2026-04-01T00:00:00Z ", " 2026-04-01T00:00:00Z", "+2026-04-01T00:00:00Z", "2026-4-1T00:00:00Z",
        "2026-04-01T00:00:00+010", "２026-04-01T00:00:00Z", "-026-04-01T00:00:00Z",
    ])
    func refusesWhatIsNoTime(_ text: String) {
        #expect(EnergyKitJSON.date(from: text) == nil)
    }

    @Test func everyDayFrom1970To2100IsRightBothWays() {
        var seconds = 0.0
        for year in 1970...2100 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for day in 1...days {
                    let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
                    let text = "\(year)-\(pad(month + 1))-\(pad(day))T00:00:00Z"
                    let date = Date(timeIntervalSince1970: seconds)
                    guard EnergyKitJSON.date(from: text) == date, EnergyKitJSON.string(from: date) == text else {
                        Issue.record("wrong on \(text)")
                        return
                    }
                    seconds += 86_400
                }
            }
        }
        #expect(seconds == 4_133_980_800)
    }

    @Test(arguments: [
        (1_774_742_400.0, "2026-03-29T00:00:00Z"),
        (1_774_742_400.5, "2026-03-29T00:00:00.500Z"),
        (1_774_742_400.125, "2026-03-29T00:00:00.125Z"),
        (1_774_742_399.999, "2026-03-28T23:59:59.999Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
    func writesAFractionOnlyIfNeeded(_ seconds: Double, _ text: String) {
        #expect(EnergyKitJSON.string(from: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -62_167_219_201, 253_402_300_800])
    func datesOutsideTheFormatHaveNoText(_ seconds: Double) {
        #expect(EnergyKitJSON.string(from: Date(timeIntervalSince1970: seconds)) == nil)
    }

    @Test func anyDateSurvivesTheWayThroughText() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let date = Date(timeIntervalSince1970: .random(in: 1_000_000_000..<4_133_980_800, using: &random))
            let text = try #require(EnergyKitJSON.string(from: date))
            let back = EnergyKitJSON.date(from: text)
            #expect(back == date, "\(text)")
        }
    }

    @Test func millisecondsStayThreeDigits() throws {
        for millisecond in 0..<1_000 {
            let padded = String("00\(millisecond)".suffix(3))
            let text = millisecond == 0 ? "2026-11-30T12:34:56Z" : "2026-11-30T12:34:56.\(padded)Z"
            let date = try #require(EnergyKitJSON.date(from: text))
            #expect(EnergyKitJSON.string(from: date) == text)
        }
    }

    @Test(arguments: [1_774_742_399.999, 1_774_742_400.001, 1_234_567_890.123])
    func millisecondsSurviveFromEitherOrigin(_ seconds: Double) throws {
        let since1970 = Date(timeIntervalSince1970: seconds)
        let since2001 = Date(timeIntervalSinceReferenceDate: (seconds - 978_307_200).rounded(.down))
            .addingTimeInterval(((seconds - seconds.rounded(.down)) * 1_000).rounded() / 1_000)
        for date in [since1970, since2001] {
            let text = try #require(EnergyKitJSON.string(from: date))
            #expect(EnergyKitJSON.date(from: text) == date)
            #expect(text.count <= "2026-03-29T00:00:00.000000Z".count)
        }
    }

    @Test func codersReadAndWriteDatesOfOtherTypes() throws {
        struct Note: Codable, Equatable {
            var at: Date
        }
        let note = Note(at: Date(timeIntervalSince1970: 1_774_742_400.5))
        let json = try EnergyKitJSON.encoder().encode(note)
        #expect(String(decoding: json, as: UTF8.self) == #"{"at":"2026-03-29T00:00:00.500Z"}"#)
        #expect(try EnergyKitJSON.decoder().decode(Note.self, from: json) == note)
    }
}
