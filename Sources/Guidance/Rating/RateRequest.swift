package import Foundation

/// The question of `offpeak rate`: `{weights:{price, carbon}, horizon:{start, end}, price:[…], carbon:[…], history?}`.
///
/// `currency` may be given as well, it scales the least price difference that counts. `history` holds earlier `price` and `carbon` to judge against.
package struct RateRequest: Sendable, Equatable {
    /// How much each signal counts.
    package let weights: RatingWeights
    /// The interval to rate.
    package let horizon: Range<Date>
    /// Price per kWh.
    package let price: EnergySeries
    /// Grams of CO2 per kWh.
    package let carbon: EnergySeries
    /// Earlier prices, nil when none were given.
    package let priceHistory: EnergySeries?
    /// Earlier carbon intensities, nil when none were given.
    package let carbonHistory: EnergySeries?
    /// The currency's ISO 4217 code.
    package let currency: String

    /// Why a question cannot be answered: the JSON path, what is wrong there and how to mend it.
    package struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
        /// The JSON path, such as `$.price[3]`; nil when `what` names it.
        package let path: String?
        /// What is wrong.
        package let what: String
        /// How to mend it.
        package let remedy: String

        /// `$.price[3]: what; remedy`.
        package var description: String { [path, "\(what); \(remedy)"].compactMap(\.self).joined(separator: ": ") }
    }

    /// Reads a question.
    ///
    /// - Throws: `Fault` with the JSON path of what is wrong.
    package init(json: Data) throws(Fault) {
        try Self.checkKeys(json)
        let form: Form
        do {
            form = try JSONDecoder().decode(Form.self, from: json)
        } catch {
            throw Fault(
                path: nil, what: jsonReason(error),
                remedy: "give {weights:{price, carbon}, horizon:{start, end}, price:[{start, end, value}], carbon:[…]}")
        }
        weights = try Self.weights(form.weights)
        let start = try Self.instant(form.horizon.start, path: "$.horizon.start")
        let end = try Self.instant(form.horizon.end, path: "$.horizon.end")
        guard start < end else {
            throw Fault(
                path: "$.horizon", what: "it ends at or before its start", remedy: "give an end after the start")
        }
        horizon = start..<end
        currency = form.currency ?? "EUR"
        let money = EnergySeries.Kind.price(currency: currency)
        price = try Self.series(form.price ?? [], kind: money, path: "$.price")
        carbon = try Self.series(form.carbon ?? [], kind: .carbon(.average), path: "$.carbon")
        priceHistory = try form.history?.price.map { slots throws(Fault) in
            try Self.series(slots, kind: money, path: "$.history.price")
        }
        carbonHistory = try form.history?.carbon.map { slots throws(Fault) in
            try Self.series(slots, kind: .carbon(.average), path: "$.history.carbon")
        }
    }

    /// The ratings that answer it.
    package func answer() -> RateAnswer {
        let model = RatingModel(weights: weights, floors: RatingFloors(currency: currency))
        let rating = model.rate(
            price: price, carbon: carbon, over: horizon, priceHistory: priceHistory, carbonHistory: carbonHistory)
        return RateAnswer(values: rating.slots.map { .init(start: $0.start, end: $0.end, rating: $0.rating) })
    }

    /// A decoder passes over a key that is misspelled or there twice, and the answer would be to another question.
    private static func checkKeys(_ json: Data) throws(Fault) {
        // What is no JSON is left to the decoder.
        guard let document = try? JSONText.read(Array(json)) else { return }
        if let repeated = document.repeatedKey(path: "$") {
            throw Fault(path: repeated.path, what: "this key is there twice", remedy: "keep one of the two")
        }
        guard let found = document.unknownKey(keys) else { return }
        throw Fault(path: found.path, what: "this key is not known here", remedy: found.advice)
    }

    private static var keys: LocatedJSON.Keys {
        let slots = LocatedJSON.Keys.list(.object(["start": .anything, "end": .anything, "value": .anything]))
        let signals: LocatedJSON.Keys = .object(["price": slots, "carbon": slots])
        let question: [String: LocatedJSON.Keys] = [
            "weights": .object(["price": .anything, "carbon": .anything]),
            "horizon": .object(["start": .anything, "end": .anything]), "price": slots, "carbon": slots,
            "history": signals, "currency": .anything,
        ]
        // What a collection of cases says beside the question itself.
        let notes = ["id", "name", "note", "description", "source", "expected", "tolerance", "internals"]
        return .object(question.merging(notes.map { ($0, .anything) }) { known, _ in known })
    }

    private static func weights(_ given: RatingWeights?) throws(Fault) -> RatingWeights {
        let weights = given ?? RatingWeights()
        for (value, path) in [(weights.price, "$.weights.price"), (weights.carbon, "$.weights.carbon")] where value < 0
        {
            throw Fault(path: path, what: "it is below zero", remedy: "give 0 or more")
        }
        for (value, path) in [(weights.price, "$.weights.price"), (weights.carbon, "$.weights.carbon")]
        where value > 1e9 {
            throw Fault(path: path, what: "\(value) is no weight", remedy: "only their ratio matters; give 0 to 1")
        }
        return weights
    }

    private static func instant(_ text: String, path: String) throws(Fault) -> Date {
        guard let instant = InstantText.instant(text) else {
            throw Fault(
                path: path, what: "'\(text)' is no time with an offset", remedy: "write it like 2026-03-29T00:00:00Z")
        }
        return instant
    }

    private static func series(
        _ given: [Form.Slot], kind: EnergySeries.Kind, path: String
    ) throws(Fault) -> EnergySeries {
        var slots: [EnergySeries.Slot] = []
        slots.reserveCapacity(given.count)
        for (index, slot) in given.enumerated() {
            let start = try instant(slot.start, path: "\(path)[\(index)].start")
            let end = try instant(slot.end, path: "\(path)[\(index)].end")
            slots.append(EnergySeries.Slot(start: start, end: end, value: slot.value))
        }
        do throws(SeriesFault) {
            return try EnergySeries(kind: kind, slots: slots)
        } catch {
            throw Fault(path: error.index.map { "\(path)[\($0)]" } ?? path, what: error.what, remedy: error.remedy)
        }
    }
}

private struct Form: Decodable {
    struct Slot: Decodable {
        let start: String
        let end: String
        let value: Double
    }

    struct Span: Decodable {
        let start: String
        let end: String
    }

    struct History: Decodable {
        let price: [Slot]?
        let carbon: [Slot]?
    }

    let weights: RatingWeights?
    let horizon: Span
    let price: [Slot]?
    let carbon: [Slot]?
    let history: History?
    let currency: String?
}
