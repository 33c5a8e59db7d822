import Foundation
import Guidance
import YAML

/// Rate plans, read value by value so that every fault is found; `RatePlan` says itself what does not fit together.
extension ConfigurationReader {
    func readRatePlan(_ reader: YAMLReader?, currency: String?) -> RatePlan? {
        guard var reader else { return nil }
        var plan = RatePlan(
            currency: reader.optionalString("currency"), flat: reader.optionalDouble("flat"),
            periods: (reader.optionalSequence("periods") ?? []).map(readPeriod),
            holidays: texts(reader.optionalNode("holidays")), addsToSpot: reader.optionalBool("adds_to_spot") ?? false,
            fixedPerMonth: reader.optionalDouble("fixed_per_month"), feedInPerKWh: reader.optionalDouble("feed_in"))
        let vat = reader.optionalDouble("vat_percent", in: 0...100) ?? 0
        plan.composition.addPerKWh = reader.optionalDouble("add_per_kwh") ?? 0
        plan.composition.factor = (reader.optionalDouble("factor") ?? 1) * (1 + vat / 100)
        plan.composition.appliesFactorBelowZero = reader.optionalBool("vat_below_zero") ?? true
        reader.finish()
        // What does not fit together is not known before each value is right.
        let isWhole = !issues.hasError(at: reader.node.path, in: reader.node.file) && !reader.node.isIncomplete
        for fault in plan.faults(currency: currency) where isWhole || !fault.key.isEmpty {
            let place = reader.node.nearest(fault.key)
            guard !place.isUnreadable, !issues.hasError(at: place.path, in: place.file) else { continue }
            if fault.isDoubt {
                issues.warn(fault.what, hint: fault.remedy, at: place)
            } else {
                issues.add(fault.what, hint: fault.remedy, at: place)
            }
        }
        return plan
    }

    private func readPeriod(_ node: YAMLNode) -> RatePlan.Period {
        var period = RatePlan.Period(tiers: [])
        guard var reader = YAMLReader(node, issues: issues) else { return period }
        defer { reader.finish() }
        period.name = label(&reader, "name") ?? ""
        let price = reader.optionalDouble("price")
        period.tiers = (reader.optionalSequence("tiers") ?? []).compactMap(readTier)
        if let price, period.tiers.isEmpty { period.tiers = [RatePlan.Tier(price: price)] }
        if price != nil, node["tiers"] != nil {
            reader.add("there are tiers too", hint: "keep one of 'price' and 'tiers'", at: "price")
        }
        period.tariffClass = readClass(&reader)
        period.months = set(&reader, "months", .months, "months such as 6-9 or nov-feb")
        period.weekdays = set(&reader, "weekdays", .weekdays, "weekdays such as mon-fri")
        period.hours = readHours(&reader)
        return period
    }

    private func readTier(_ node: YAMLNode) -> RatePlan.Tier? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let limit = reader.optionalDouble("up_to_kwh", in: 0...1_000_000)
        return reader.double("price").map { RatePlan.Tier(upToKWh: limit, price: $0) }
    }

    private func readClass(_ reader: inout YAMLReader) -> TariffClass? {
        guard let text = text(&reader, "class") else { return nil }
        if let found = TariffClass(name: text) { return found }
        let known = ["super_off_peak", "off_peak", "partial_peak", "on_peak", "critical_peak"]
        reader.add(
            "'\(YAMLNode.shown(text))' is no class of prices",
            hint: NearestWord.advice(for: text, among: known, ifNone: ""), at: "class")
        return nil
    }

    private func set(
        _ reader: inout YAMLReader, _ key: String, _ names: CyclicNames, _ wanted: String
    ) -> Set<Int>? {
        guard let node = reader.optionalNode(key), !node.isNull else { return nil }
        let texts = texts(node)
        if let set = names.parse(texts.joined(separator: ",")) { return set }
        reader.add(
            "'\(YAMLNode.shown(texts.joined(separator: ", ")))' is not understood", hint: "give \(wanted)", at: key)
        return nil
    }

    private func readHours(_ reader: inout YAMLReader) -> [ClockRange]? {
        guard let node = reader.optionalNode("hours"), !node.isNull else { return nil }
        return texts(node).flatMap { $0.split(separator: ",") }.compactMap { text -> ClockRange? in
            if let range = ClockRange(text) { return range }
            reader.add(
                "'\(YAMLNode.shown(String(text)))' is no time of day", hint: "give it such as \"18:00-20:00\"",
                at: "hours")
            return nil
        }
    }

    /// A text, a number, or a list of either, as people write such lists.
    private func texts(_ node: YAMLNode?) -> [String] {
        guard let node, !node.isNull else { return [] }
        if let elements = node.elements { return elements.flatMap { texts($0) } }
        if let scalar = node.scalar, scalar.kind == .text || scalar.kind == .integer { return [scalar.text] }
        issues.add("expected a text or a list of texts, found \(node.summary)", hint: "put each in quotes", at: node)
        return []
    }
}
