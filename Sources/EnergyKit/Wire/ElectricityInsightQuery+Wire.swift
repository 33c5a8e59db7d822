import Foundation

extension ElectricityInsightQuery: Codable {
    private enum Key: String, CodingKey {
        case options, range, granularity, flowDirection
    }

    /// Reads `{options:[…], range:{start,end}, granularity, flowDirection}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        self.init(
            options: try json.decode(Options.self, forKey: .options),
            range: try json.decode(WireInterval.self, forKey: .range).interval,
            granularity: try json.decode(Granularity.self, forKey: .granularity),
            flowDirection: try json.decode(ElectricityFlowDirection.self, forKey: .flowDirection))
    }

    /// Writes `{options:[…], range:{start,end}, granularity, flowDirection}`.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(options, forKey: .options)
        try json.encode(WireInterval(range), forKey: .range)
        try json.encode(granularity, forKey: .granularity)
        try json.encode(flowDirection, forKey: .flowDirection)
    }
}

extension ElectricityInsightQuery.Options: Codable {
    private enum Name: String, Codable, CaseIterable {
        case cleanliness, tariff

        var option: ElectricityInsightQuery.Options {
            switch self {
            case .cleanliness: .cleanliness
            case .tariff: .tariff
            }
        }
    }

    /// Reads an array of names.
    public init(from decoder: any Decoder) throws {
        self.init(try [Name](from: decoder).map(\.option))
    }

    /// Writes an array of names; bits without a name are left out.
    public func encode(to encoder: any Encoder) throws {
        try Name.allCases.filter { contains($0.option) }.encode(to: encoder)
    }
}
