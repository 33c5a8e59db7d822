/// The plan as configurations write it, keys in snake case.
extension RatePlan: Codable {
    private enum CodingKeys: String, CodingKey {
        case currency, flat, periods, holidays
        case addsToSpot = "adds_to_spot"
        case addPerKWh = "add_per_kwh"
        case factor
        case vatPercent = "vat_percent"
        case vatBelowZero = "vat_below_zero"
        case fixedPerMonth = "fixed_per_month"
        case feedIn = "feed_in"
    }

    /// Reads a plan; `vat_percent: 19` and `factor: 1.19` say the same and multiply when both are given.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let vat = try container.decodeIfPresent(Double.self, forKey: .vatPercent) ?? 0
        self.init(
            currency: try container.decodeIfPresent(String.self, forKey: .currency),
            flat: try container.decodeIfPresent(Double.self, forKey: .flat),
            periods: try container.decodeIfPresent([Period].self, forKey: .periods) ?? [],
            holidays: try container.decodeIfPresent([String].self, forKey: .holidays) ?? [],
            addsToSpot: try container.decodeIfPresent(Bool.self, forKey: .addsToSpot) ?? false,
            composition: PriceComposition(
                addPerKWh: try container.decodeIfPresent(Double.self, forKey: .addPerKWh) ?? 0,
                factor: (try container.decodeIfPresent(Double.self, forKey: .factor) ?? 1) * (1 + vat / 100),
                appliesFactorBelowZero: try container.decodeIfPresent(Bool.self, forKey: .vatBelowZero) ?? true),
            fixedPerMonth: try container.decodeIfPresent(Double.self, forKey: .fixedPerMonth),
            feedInPerKWh: try container.decodeIfPresent(Double.self, forKey: .feedIn))
    }

    /// Writes a plan so that reading it gives the same plan.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(currency, forKey: .currency)
        try container.encodeIfPresent(flat, forKey: .flat)
        if !periods.isEmpty { try container.encode(periods, forKey: .periods) }
        if !holidays.isEmpty { try container.encode(holidays, forKey: .holidays) }
        if addsToSpot { try container.encode(true, forKey: .addsToSpot) }
        if composition.addPerKWh != 0 { try container.encode(composition.addPerKWh, forKey: .addPerKWh) }
        if composition.factor != 1 { try container.encode(composition.factor, forKey: .factor) }
        if !composition.appliesFactorBelowZero { try container.encode(false, forKey: .vatBelowZero) }
        try container.encodeIfPresent(fixedPerMonth, forKey: .fixedPerMonth)
        try container.encodeIfPresent(feedInPerKWh, forKey: .feedIn)
    }
}

extension RatePlan.Period: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, price, tiers, months, weekdays, hours
        case tariffClass = "class"
    }

    /// Reads a period: `{name, price | tiers, class, months: "6-9", weekdays: "mon-fri", hours: ["07:00-09:00", "18:00-20:00"]}`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let tiers =
            try container.decodeIfPresent([RatePlan.Tier].self, forKey: .tiers)
            ?? [RatePlan.Tier(price: try container.decode(Double.self, forKey: .price))]
        let wording = try container.decodeIfPresent(String.self, forKey: .tariffClass)
        let tariffClass = wording.flatMap { TariffClass(name: $0) }
        if let wording, tariffClass == nil {
            let classes = TariffClass.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: .tariffClass, in: container, debugDescription: "'\(wording)' is none of \(classes)")
        }
        self.init(
            name: try container.decodeIfPresent(String.self, forKey: .name) ?? "", tiers: tiers,
            tariffClass: tariffClass,
            months: try Self.set(.months, CyclicNames.months, "months such as 6-9 or nov-feb", in: container),
            weekdays: try Self.set(.weekdays, CyclicNames.weekdays, "weekdays such as mon-fri", in: container),
            hours: try Self.hours(in: container))
    }

    /// Writes a period so that reading it gives the same period.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !name.isEmpty { try container.encode(name, forKey: .name) }
        if tiers.count == 1, tiers[0].upToKWh == nil {
            try container.encode(tiers[0].price, forKey: .price)
        } else {
            try container.encode(tiers, forKey: .tiers)
        }
        try container.encodeIfPresent(tariffClass, forKey: .tariffClass)
        try container.encodeIfPresent(months?.sorted(), forKey: .months)
        try container.encodeIfPresent(weekdays?.sorted(), forKey: .weekdays)
        try container.encodeIfPresent(hours?.map(\.text), forKey: .hours)
    }

    /// A text, one number, or a list of either.
    private static func set(
        _ key: CodingKeys, _ names: CyclicNames, _ wanted: String, in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> Set<Int>? {
        guard let texts = try container.decodeIfPresent(TextList.self, forKey: key)?.texts else { return nil }
        guard let set = names.parse(texts.joined(separator: ",")) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container,
                debugDescription: "'\(texts.joined(separator: ", "))' is not understood, give \(wanted)")
        }
        return set
    }

    private static func hours(in container: KeyedDecodingContainer<CodingKeys>) throws -> [ClockRange]? {
        guard let texts = try container.decodeIfPresent(TextList.self, forKey: .hours)?.texts else { return nil }
        return try texts.flatMap { $0.split(separator: ",") }.map { text in
            guard let range = ClockRange(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .hours, in: container, debugDescription: "'\(text)' is no time of day, give 18:00-20:00")
            }
            return range
        }
    }
}

/// A text, a number, or a list of either, as people write such lists.
private struct TextList: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            texts = [String(number)]
        } else if let text = try? container.decode(String.self) {
            texts = [text]
        } else {
            texts = try container.decode([TextList].self).flatMap(\.texts)
        }
    }
}
