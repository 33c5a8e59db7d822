package import Foundation

/// When a provider has something new.
package enum Publication: Sendable, Equatable {
    /// Once a day for the whole of the next local day of its market.
    case daily(hour: Int, minute: Int, zone: String)
    /// All the time; asking more often than this many seconds brings nothing.
    case rolling(seconds: Double)

    /// Half past twelve to one o'clock: the results of the European day-ahead auction.
    package static func dayAhead(hour: Int = 13, minute: Int = 0) -> Publication {
        .daily(hour: hour, minute: minute, zone: "Europe/Brussels")
    }

    /// A sentence for people.
    package var text: String {
        switch self {
        case .daily(let hour, let minute, let zone):
            "daily from \(hour):\(minute < 10 ? "0" : "")\(minute) (\(zone)) for the next day"
        case .rolling(let seconds):
            seconds < 3600 ? "every \(Int(seconds / 60)) minutes" : "every \(Int((seconds / 3600).rounded())) h"
        }
    }
}

/// How many requests a provider takes in a span of time.
package struct RequestQuota: Sendable, Equatable, Codable {
    /// How many.
    package var requests: Int
    /// In how many seconds.
    package var seconds: Double

    /// Makes a quota.
    package init(_ requests: Int, perSeconds seconds: Double) {
        self.requests = requests
        self.seconds = seconds
    }
}

/// The requests of the last time, so that a quota holds over restarts too.
package struct RequestLedger: Sendable, Equatable, Codable {
    /// When requests were made, ascending, in seconds since 1970.
    package private(set) var moments: [Double] = []

    /// Makes an empty ledger.
    package init() {}

    /// Notes a request, and forgets those that no quota looks at any more.
    package mutating func note(_ moment: Date, quotas: [RequestQuota]) {
        let longest = max(86_400, quotas.map(\.seconds).max() ?? 0)
        moments.append(moment.timeIntervalSince1970)
        let most = max(500, quotas.map(\.requests).max() ?? 0)
        moments = Array(moments.filter { $0 > moment.timeIntervalSince1970 - longest }.suffix(most))
    }

    /// The first moment, not before `moment`, at which one more request is within every quota.
    ///
    /// A quota counts any span of its length, so no provider's way of counting finds more.
    package func room(from moment: Date, quotas: [RequestQuota]) -> Date {
        var earliest = moment.timeIntervalSince1970
        for quota in quotas where quota.requests > 0 {
            let counted = moments.filter { $0 > moment.timeIntervalSince1970 - quota.seconds }
            guard counted.count >= quota.requests else { continue }
            earliest = max(earliest, counted[counted.count - quota.requests] + quota.seconds)
        }
        return Date(timeIntervalSince1970: earliest)
    }

    /// How many more requests the tightest quota leaves, nil without quotas.
    package func left(at moment: Date, quotas: [RequestQuota]) -> Int? {
        quotas.map { quota in
            max(0, quota.requests - moments.filter { $0 > moment.timeIntervalSince1970 - quota.seconds }.count)
        }.min()
    }
}
