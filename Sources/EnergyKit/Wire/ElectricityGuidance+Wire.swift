import Foundation

extension ElectricityGuidance: Codable {
    private enum Key: String, CodingKey {
        case guidanceToken, energyVenueID, action, issuedAt, interval, options, values
    }

    /// Reads the guidance JSON.
    /// - Throws: `DecodingError` for a missing part, a date that is none, or an interval that ends before it starts.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        self.init(
            guidanceToken: try json.decode(UUID.self, forKey: .guidanceToken),
            energyVenueID: try json.decode(UUID.self, forKey: .energyVenueID),
            interval: try json.decode(WireInterval.self, forKey: .interval).interval,
            suggestedAction: try json.decode(SuggestedAction.self, forKey: .action),
            values: try json.decode([Value].self, forKey: .values),
            // A newer hub may have options that this program need not know.
            options: Set(try json.decode([String].self, forKey: .options).compactMap { Options(rawValue: $0) }),
            issued: try json.decode(WireDate.self, forKey: .issuedAt).date)
    }

    /// Writes the guidance JSON; options stand in the order of their declaration.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(guidanceToken, forKey: .guidanceToken)
        try json.encode(energyVenueID, forKey: .energyVenueID)
        try json.encode(suggestedAction, forKey: .action)
        try json.encode(WireDate(issuedAt), forKey: .issuedAt)
        try json.encode(WireInterval(interval), forKey: .interval)
        try json.encode(Options.allCases.filter(options.contains), forKey: .options)
        try json.encode(values, forKey: .values)
    }
}

extension ElectricityGuidance.Query: Codable {
    private enum Key: String, CodingKey {
        case action
    }

    /// Reads `{action}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        self.init(suggestedAction: try json.decode(ElectricityGuidance.SuggestedAction.self, forKey: .action))
    }

    /// Writes `{action}`.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(action, forKey: .action)
    }
}

extension ElectricityGuidance.Value: Codable {
    private enum Key: String, CodingKey {
        case start, end, rating, pricePerKWh, gramsCO2PerKWh
    }

    /// Reads `{start, end, rating, pricePerKWh?, gramsCO2PerKWh?}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        self.init(
            interval: try WireInterval(from: decoder).interval,
            rating: try json.decode(Double.self, forKey: .rating),
            signals: Signals(
                pricePerKWh: try json.decodeIfPresent(Double.self, forKey: .pricePerKWh),
                gramsCO2PerKWh: try json.decodeIfPresent(Double.self, forKey: .gramsCO2PerKWh)))
    }

    /// Writes `{start, end, rating, pricePerKWh?, gramsCO2PerKWh?}`; a signal that is unknown or not finite is absent.
    public func encode(to encoder: any Encoder) throws {
        try WireInterval(interval).encode(to: encoder)
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(rating, forKey: .rating)
        try json.encodeIfPresent(pricePerKWh.finite, forKey: .pricePerKWh)
        try json.encodeIfPresent(gramsCO2PerKWh.finite, forKey: .gramsCO2PerKWh)
    }
}

extension Optional where Wrapped == Double {
    /// The value if it is a number; JSON has no NaN and no infinity, so those are unknown.
    var finite: Double? {
        flatMap { $0.isFinite ? $0 : nil }
    }
}
