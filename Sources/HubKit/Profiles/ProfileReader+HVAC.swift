import YAML

/// What heating and cooling accept.
extension ProfileReader {
    func readHVAC(_ reader: YAMLReader?) -> ProfileHVAC? {
        guard var reader else { return nil }
        defer { reader.finish() }
        var hvac = ProfileHVAC(
            setpointCelsius: readSpan(
                reader.optionalMapping("setpoint"), "setpoint", "celsius", in: -30...90),
            minimumDwellSeconds: reader.optionalDouble("minimum_dwell_seconds", in: 0...86_400) ?? 600,
            fullPowerWatts: reader.optionalDouble("full_power_watts", in: 1...100_000),
            reassertSeconds: reader.optionalDouble("reassert_seconds", in: 1...86_400))
        hvac.powerLimitWatts = readSpan(
            reader.optionalMapping("power_limit"), "limit", "watts", in: 0...100_000)
        hvac.offsetKelvin = readSpan(
            reader.optionalMapping("offset"), "offset", "kelvin", in: -20...20)
        hvac.surplus = readSurplus(reader.optionalMapping("surplus"))
        hvac.stagesPercent = readStages(reader.optionalNode("stages"))
        return hvac
    }

    private func readSpan(
        _ reader: YAMLReader?, _ what: String, _ unit: String, in range: ClosedRange<Double>
    ) -> ClosedRange<Double>? {
        guard var reader else { return nil }
        let low = reader.double("minimum_\(unit)", in: range)
        let high = reader.double("maximum_\(unit)", in: range)
        reader.finish()
        guard let low, let high else { return nil }
        guard low <= high else {
            issues.add("the lowest \(what) is above the highest", hint: "swap them", at: reader.node)
            return nil
        }
        return low...high
    }

    private func readSurplus(_ reader: YAMLReader?) -> ProfileHVAC.Surplus? {
        guard var reader else { return nil }
        defer { reader.finish() }
        return ProfileHVAC.Surplus(
            maximumWatts: reader.optionalDouble("maximum_watts", in: 1...100_000),
            everySeconds: reader.optionalDouble("every_seconds", in: 1...3600) ?? 30,
            isAll: reader.optionalBool("is_all") ?? false)
    }

    private func readStages(_ node: YAMLNode?) -> [Double] {
        guard let node else { return [] }
        let percents = (node.elements ?? []).compactMap(\.asDouble)
        let most = ProfileCommand.stages.count
        guard percents.count == node.elements?.count, (2...most).contains(percents.count), percents.first == 0,
            percents.last == 100, zip(percents, percents.dropFirst()).allSatisfy({ $0 < $1 })
        else {
            issues.add(
                "'stages' are 2 to \(most) steps of power in percent, ascending from 0 to 100",
                hint: "such as [0, 33, 67, 100]", at: node)
            return []
        }
        return percents
    }
}
