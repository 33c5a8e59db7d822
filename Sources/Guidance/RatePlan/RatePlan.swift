/// What a household pays for a kWh, as data.
///
/// At its simplest `{flat: 0.30}`. Otherwise named periods by season, weekday and wall-clock time of the venue's zone; the first period that
/// matches a moment counts, and `flat` holds where none does. Taxes and fees turn the bare price into what is paid.
/// With a dynamic price source a plan's own prices are not used, except when `addsToSpot` says that they come on top (a network tariff by time of day).
package struct RatePlan: Sendable, Equatable {
    /// The price of a period, or the steps of a price that grows with the month's use.
    package struct Tier: Sendable, Equatable, Codable {
        /// The month's energy up to which this price holds, in kWh; nil for the last tier.
        package var upToKWh: Double?
        /// Price per kWh.
        package var price: Double

        /// Makes a tier.
        package init(upToKWh: Double? = nil, price: Double) {
            self.upToKWh = upToKWh
            self.price = price
        }

        private enum CodingKeys: String, CodingKey {
            case upToKWh = "up_to_kwh"
            case price
        }
    }

    /// A time with a price of its own.
    package struct Period: Sendable, Equatable {
        /// A name for people, may be empty.
        package var name: String
        /// The tiers, at least one.
        package var tiers: [Tier]
        /// Its peak class, nil when the plan does not say.
        package var tariffClass: TariffClass?
        /// The months it holds in, 1…12; nil for all.
        package var months: Set<Int>?
        /// The days it holds on, 1 = Monday … 7 = Sunday; nil for all.
        package var weekdays: Set<Int>?
        /// The times of day it holds at; nil for all.
        package var hours: [ClockRange]?

        /// Makes a period with one price per kWh.
        package init(
            name: String = "", price: Double, tariffClass: TariffClass? = nil, months: Set<Int>? = nil,
            weekdays: Set<Int>? = nil, hours: [ClockRange]? = nil
        ) {
            self.init(
                name: name, tiers: [Tier(price: price)], tariffClass: tariffClass, months: months, weekdays: weekdays,
                hours: hours)
        }

        /// Makes a period with tiers by the month's energy.
        package init(
            name: String = "", tiers: [Tier], tariffClass: TariffClass? = nil, months: Set<Int>? = nil,
            weekdays: Set<Int>? = nil, hours: [ClockRange]? = nil
        ) {
            self.name = name
            self.tiers = tiers
            self.tariffClass = tariffClass
            self.months = months
            self.weekdays = weekdays
            self.hours = hours
        }

        /// The price per kWh after a use in this month; when that is not known, the last tier's, which is the dearest as a rule.
        func price(monthToDateKWh: Double?) -> Double? {
            guard let used = monthToDateKWh else { return tiers.last?.price }
            return (tiers.first { $0.upToKWh.map { used < $0 } ?? true } ?? tiers.last)?.price
        }
    }

    /// The currency's ISO 4217 code; nil for the venue's.
    package var currency: String?
    /// The price per kWh where no period matches; nil when the periods cover all time or the price is dynamic.
    package var flat: Double?
    /// The periods, most important first.
    package var periods: [Period]
    /// Days that count as Sundays, `2026-12-25` or `12-25` for every year.
    package var holidays: [String]
    /// Whether the plan's prices come on top of a dynamic price.
    package var addsToSpot: Bool
    /// Taxes and fees.
    package var composition: PriceComposition
    /// A charge per month that no use changes, in the currency.
    package var fixedPerMonth: Double?
    /// What a kWh fed in is paid, in the currency; nil when nothing is known.
    package var feedInPerKWh: Double?

    /// Makes a plan.
    package init(
        currency: String? = nil, flat: Double? = nil, periods: [Period] = [], holidays: [String] = [],
        addsToSpot: Bool = false, composition: PriceComposition = PriceComposition(), fixedPerMonth: Double? = nil,
        feedInPerKWh: Double? = nil
    ) {
        self.currency = currency
        self.flat = flat
        self.periods = periods
        self.holidays = holidays
        self.addsToSpot = addsToSpot
        self.composition = composition
        self.fixedPerMonth = fixedPerMonth
        self.feedInPerKWh = feedInPerKWh
    }

    /// Whether the plan has prices of its own, not only taxes and fees on a dynamic price.
    package var hasPrices: Bool { flat != nil || !periods.isEmpty }

    /// Whether a price depends on the energy used before in the month.
    package var hasTiers: Bool { periods.contains { $0.tiers.count > 1 } }

    /// The class of each period: as the plan says, else by the rank of its price.
    ///
    /// With two prices the lower is off-peak, with three the middle is partial peak, with more the lowest is super off-peak.
    /// A price the plan gives no class to is never called critical.
    package var periodClasses: [TariffClass?] {
        let prices = Set(periods.compactMap { $0.price(monthToDateKWh: nil) } + [flat].compactMap(\.self)).sorted()
        return periods.map { period in
            period.tariffClass ?? period.price(monthToDateKWh: nil).flatMap { Self.ranked($0, among: prices) }
        }
    }

    /// The class of the flat price beside the periods; nil when it is the only price.
    package var flatClass: TariffClass? {
        let prices = Set(periods.compactMap { $0.price(monthToDateKWh: nil) } + [flat].compactMap(\.self)).sorted()
        return flat.flatMap { Self.ranked($0, among: prices) }
    }

    private static func ranked(_ price: Double, among prices: [Double]) -> TariffClass? {
        guard prices.count > 1, let index = prices.firstIndex(of: price) else { return nil }
        if index == prices.count - 1 { return .onPeak }
        if prices.count >= 4, index == 0 { return .superOffPeak }
        if index == 0 || (prices.count >= 4 && index == 1) { return .offPeak }
        return .partialPeak
    }
}
