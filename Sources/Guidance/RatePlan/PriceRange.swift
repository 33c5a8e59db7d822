/// What a kWh can cost, to catch hundredths, prices per MWh and slips of the keyboard.
struct PriceRange {
    /// Above this no price is taken, of either sign.
    let most: Double
    /// Above this a price is doubted: no household pays it for long (3 € and the like).
    let doubtful: Double

    /// The range for a currency; a wide one where its worth is not known.
    init(currency: String?) {
        let cent = currency.flatMap { RatingFloors.cent(of: $0) }
        most = cent.map { $0 * 10_000 } ?? 1_000_000
        doubtful = cent.map { $0 * 300 } ?? .infinity
    }

    /// What is wrong with the prices that there are.
    func faults(_ prices: [(key: String, price: Double?)]) -> [RatePlan.Fault] {
        prices.compactMap { key, price -> RatePlan.Fault? in
            guard let price else { return nil }
            if !price.isFinite { return RatePlan.Fault(key, "not a finite number", "give a price per kWh") }
            if abs(price) > most {
                return RatePlan.Fault(
                    key, "\(price) is no price of a kWh", "give it per kWh, in whole units of the currency")
            }
            guard abs(price) > doubtful else { return nil }
            return RatePlan.Fault(
                key, "\(price) is a lot for a kWh", "check that it is not in hundredths or per MWh", isDoubt: true)
        }
    }
}
