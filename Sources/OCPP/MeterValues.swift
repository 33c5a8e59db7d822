package import Foundation

/// What a charger measured, at one or more moments.
package struct MeterValues: Sendable, Equatable {
    /// The connector; 0 is the charger's main meter.
    package var connector: Int
    /// The transaction it belongs to.
    package var transaction: Int?
    /// The moments, in the order they were sent.
    package var moments: [Moment]

    /// The values of one moment.
    package struct Moment: Sendable, Equatable {
        /// When, by the charger's clock.
        package var at: Date?
        /// The values.
        package var values: [SampledValue]
    }

    init(_ reader: PayloadReader) throws(CallError) {
        connector = try reader.integer("connectorId")
        transaction = try reader.optionalInteger("transactionId")
        moments = []
        for moment in try reader.list("meterValue") {
            let reader = PayloadReader(moment)
            var values: [SampledValue] = []
            for value in try reader.list("sampledValue") { values.append(try SampledValue(value)) }
            moments.append(Moment(at: reader.time("timestamp"), values: values))
        }
    }
}

/// One value as the charger sent it.
package struct SampledValue: Sendable, Equatable {
    /// The number as text, as OCPP 1.6 has it.
    package var text: String
    /// What it measures; OCPP's own default where the charger does not say.
    package var measurand: String
    /// The unit; absent where the charger does not say.
    package var unit: String?
    /// The phase, such as `L1` or `L1-N`.
    package var phase: String?
    /// Where it was measured, such as `Outlet`.
    package var location: String?
    /// Whether the value is a signed block of data and no number.
    package var isSigned: Bool
    /// The value as it was sent.
    package var raw: String

    init(_ payload: Payload) throws(CallError) {
        let reader = PayloadReader(payload)
        text = try reader.text("value").trimmingCharacters(in: .whitespaces)
        measurand = try reader.optionalText("measurand") ?? "Energy.Active.Import.Register"
        unit = try reader.optionalText("unit")
        phase = try reader.optionalText("phase")
        location = try reader.optionalText("location")
        isSigned = try reader.optionalText("format") == "SignedData"
        raw = payload.json
    }
}
