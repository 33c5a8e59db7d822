import EnergyKit
import Foundation
import Insights
import Testing

@Suite struct WorkedExampleTests {
    @Test(arguments: OwnExample.allCases)
    func ownExampleComesOutAsWorkedByHand(_ example: OwnExample) throws {
        try check(try WorkedExample.read(Data(example.json.utf8)))
    }

    @Test(arguments: WorkedExample.shared)
    func sharedExampleComesOutAsWorkedByHand(_ file: URL) throws {
        try check(try WorkedExample.read(try Data(contentsOf: file)))
    }

    private func check(_ example: WorkedExample) throws {
        for order in [example.samples, example.samples.reversed(), example.samples.shuffled()] {
            let imported = try example.tally(.imported, order: order)
            let exported = try example.tally(.exported, order: order)
            #expect(total(imported) == whole(example.expected.total["imported"]))
            #expect(total(exported) == whole(example.expected.total["exported"]))
            for kind in Cleanliness.allCases {
                let sum = imported.buckets.indices.reduce(0) { $0 + imported.cleanliness($1)[kind.rawValue] }
                #expect(sum == whole(example.expected.cleanliness["\(kind)"]), "\(kind)")
            }
            for kind in PeakClass.allCases {
                let sum = imported.buckets.indices.reduce(0) { $0 + imported.tariff($1)[kind.rawValue] }
                #expect(sum == whole(example.expected.tariff["\(kind)"]), "\(kind)")
            }
            for (index, bucket) in imported.buckets.enumerated() {
                let day = try localDay(imported.edges[index], example.timeZone)
                #expect(bucket.energy == whole(example.expected.days[day]), "\(day)")
            }
        }
    }

    private func total(_ tally: InsightTally) -> Int64 { tally.buckets.reduce(0) { $0 + $1.energy } }

    private func whole(_ wattHours: Double?) -> Int64 { Int64(((wattHours ?? 0) * 1000).rounded()) }

    private func localDay(_ moment: Instant, _ zone: String) throws -> String {
        let zone = try #require(TimeZone(identifier: zone))
        let local = moment.date.addingTimeInterval(Double(zone.secondsFromGMT(for: moment.date)))
        return String(try #require(EnergyKitJSON.string(from: local)).prefix(10))
    }
}

/// Examples of our own, each with the rule it is about.
enum OwnExample: String, CaseIterable {
    /// 9 kWh over the three real hours from 00:00 to 04:00 of the night in which Berlin's clocks go forward, begun an hour
    /// before midnight; the counter begins at a baseline of 500 Wh and falls once.
    case nightOfSpring
    /// A guidance without a value for its second half hour, then a token nobody knows.
    case partlyKnown
    /// A silence of an hour and a minute among short ones, and one of exactly an hour.
    case silence

    var json: String {
        switch self {
        case .nightOfSpring:
            """
            {"title":"baseline, fall, 23-hour day","timeZone":"Europe/Berlin","cleanerBelowRating":0.5,
             "guidance":[{"token":"G","slots":[
               {"start":"2026-03-28T22:00:00Z","end":"2026-03-29T00:30:00Z","rating":0.2},
               {"start":"2026-03-29T00:30:00Z","end":"2026-03-29T02:00:00Z","rating":0.5}]}],
             "tariff":[{"start":"2026-03-28T22:00:00Z","end":"2026-03-29T02:00:00Z","peak":"superOffPeak"}],
             "events":[
               {"session":"s","t":"2026-03-28T22:00:00Z","state":"begin","wh":500,"token":"G"},
               {"session":"s","t":"2026-03-28T22:45:00Z","state":"active","wh":1500,"token":"G"},
               {"session":"s","t":"2026-03-28T23:15:00Z","state":"active","wh":3500,"token":"G"},
               {"session":"s","t":"2026-03-29T00:00:00Z","state":"active","wh":2000,"token":"G"},
               {"session":"s","t":"2026-03-29T01:00:00Z","state":"active","wh":5000,"token":"G"},
               {"session":"s","t":"2026-03-29T02:00:00Z","state":"end","wh":9000,"token":"G"}],
             "expected":{"total":{"imported":12000},
               "cleanliness":{"cleaner":6500,"lessClean":5500},"tariff":{"superOffPeak":12000},
               "days":{"2026-03-28":2000,"2026-03-29":10000}}}
            """
        case .partlyKnown:
            """
            {"title":"gap in guidance, unknown token","timeZone":"UTC","cleanerBelowRating":0.5,
             "guidance":[{"token":"G","slots":[
               {"start":"2026-01-05T10:00:00Z","end":"2026-01-05T10:30:00Z","rating":0.1},
               {"start":"2026-01-05T10:50:00Z","end":"2026-01-05T11:00:00Z","rating":0.9}]}],
             "tariff":[],
             "events":[
               {"session":"s","t":"2026-01-05T10:00:00Z","state":"begin","wh":0,"token":"G"},
               {"session":"s","t":"2026-01-05T11:00:00Z","state":"active","wh":1000,"token":"X"},
               {"session":"s","t":"2026-01-05T11:10:00Z","state":"end","wh":1400,"token":"G"}],
             "expected":{"total":{"imported":1400},
               "cleanliness":{"cleaner":500,"lessClean":166.667,"unknown":733.333},"tariff":{"unknown":1400},
               "days":{"2026-01-05":1400}}}
            """
        case .silence:
            """
            {"title":"silences","timeZone":"Asia/Kolkata","cleanerBelowRating":0.5,
             "guidance":[{"token":"G","slots":[
               {"start":"2026-01-05T00:00:00Z","end":"2026-01-06T00:00:00Z","rating":0.1}]}],
             "tariff":[{"start":"2026-01-05T17:00:00Z","end":"2026-01-05T23:00:00Z","peak":"onPeak"}],
             "events":[
               {"session":"s","t":"2026-01-05T17:00:00Z","state":"begin","wh":0,"token":"G"},
               {"session":"s","t":"2026-01-05T18:00:00Z","state":"active","wh":600,"token":"G"},
               {"session":"s","t":"2026-01-05T19:01:00Z","state":"active","wh":1210,"token":"G"},
               {"session":"s","t":"2026-01-05T19:31:00Z","state":"end","wh":1510,"token":"G"}],
             "expected":{"total":{"imported":1510},
               "cleanliness":{"cleaner":900,"unknown":610},"tariff":{"onPeak":900,"unknown":610},
               "days":{"2026-01-05":900,"2026-01-06":610}}}
            """
        }
    }
}
