import EnergyKit
import Testing

/// What code written for Apple's systems does with measurements and durations, as it is written there.
@Suite struct MeasurementCodeTests {
    private let energy = Measurement(value: 7.26, unit: UnitEnergy.kilowattHours)
    private let us = Locale(identifier: "en_US")

    @Test func unitsConvertIntoEachOther() {
        #expect(
            Measurement(value: 1, unit: UnitEnergy.joules).converted(to: .EnergyKit.milliwattHours).value == 1 / 3.6)
        #expect(Measurement(value: 1, unit: UnitPower.megawatts).converted(to: .milliwatts).value == 1e9)
        #expect(Measurement(value: 2, unit: UnitPower.horsepower).converted(to: .kilowatts).value > 1.4)
        #expect(Measurement(value: 1, unit: UnitLength.miles).converted(to: .kilometers).value > 1.6)
        #expect(abs(Measurement(value: 20, unit: UnitTemperature.celsius).converted(to: .fahrenheit).value - 68) < 1e-6)
        let sum = energy + Measurement(value: 40_000, unit: UnitEnergy.EnergyKit.milliwattHours)
        #expect(abs(sum.converted(to: .kilowattHours).value - 7.30) < 1e-9)
        #expect(energy > Measurement(value: 7_000, unit: .EnergyKit.wattHours) && energy * 2 == energy + energy)
    }

    @Test func measurementsAreShown() {
        #expect(energy.formatted(.measurement(width: .abbreviated).locale(us)) == "7.26 kWh")
        #expect(
            energy.formatted(
                .measurement(
                    width: .narrow, usage: .asProvided, numberFormatStyle: .number.precision(.fractionLength(1))
                ).locale(us)) == "7.3kWh")
        #expect(energy.formatted().hasSuffix(" kWh") && energy.description == "7.26 kWh")
        #expect(
            Measurement(value: 1_234.5, unit: UnitPower.watts).formatted(
                .measurement(width: .wide).locale(Locale(identifier: "de_DE"))) == "1.234,5 W")
    }

    @Test func usagesOfMeasurementsCompileAsWritten() {
        let range = Measurement(value: 310, unit: UnitLength.kilometers)
        #expect(range.formatted(.measurement(width: .abbreviated, usage: .road).locale(us)) == "310 km")
        let room = Measurement(value: 21.5, unit: UnitTemperature.celsius)
        #expect(room.formatted(.measurement(width: .narrow, usage: .weather).locale(us)) == "21.5°C")
        #expect(room.formatted(.measurement(width: .narrow, hidesScaleName: true).locale(us)) == "21.5°")
        #expect(energy.formatted(.measurement(width: .wide, usage: .food).locale(us)) == "7.26 kWh")
    }

    @Test func formatterWritesMeasurements() {
        let formatter = MeasurementFormatter()
        formatter.locale = us
        formatter.unitOptions = .providedUnit
        formatter.numberFormatter.maximumFractionDigits = 1
        #expect(formatter.string(from: energy) == "7.3 kWh")
        formatter.unitOptions = .naturalScale
        formatter.unitStyle = .short
        #expect(formatter.string(from: Measurement(value: 7_200, unit: UnitPower.watts)) == "7.2kW")
        #expect(formatter.string(from: Measurement(value: -0.5, unit: UnitEnergy.kilowattHours)) == "-500Wh")
        #expect(formatter.string(from: UnitPower.watts as Unit) == "W")
        formatter.unitOptions = .temperatureWithoutUnit
        #expect(formatter.string(from: Measurement(value: 21, unit: UnitTemperature.celsius)) == "21°")
        #expect(formatter.string(from: Measurement(value: .nan, unit: UnitPower.watts)).hasSuffix("W"))
    }

    @Test func measurementsTravelAsJSONAndHash() throws {
        let one = Measurement(value: 1, unit: UnitEnergy.EnergyKit.milliwattHours)
        let data = try JSONEncoder().encode(one)
        let back = try JSONDecoder().decode(Measurement<UnitEnergy>.self, from: data)
        #expect(back == one && back.unit.symbol == "mWh" && back.converted(to: .joules).value == 3.6)
        #expect(Set([one, one.converted(to: .joules)]).count == 1)
        let style = Measurement<UnitPower>.FormatStyle(width: .narrow, usage: .asProvided)
        #expect(try JSONDecoder().decode(type(of: style), from: JSONEncoder().encode(style)) == style)
    }

    @Test func durationsAndDatesAreShown() {
        let runtime = Duration.seconds(5_400)
        #expect(runtime.formatted(.time(pattern: .hourMinute)) == "1:30")
        #expect(runtime / .seconds(3_600) == 1.5 && runtime.components.seconds == 5_400)
        #expect(SurfaceTests.start.formatted(.iso8601) == "2026-03-29T00:00:00Z")
    }

    @Test func checksForAppleSystemsAreTrueHere() {
        var reached: [String] = []
        if #available(iOS 26.1, *) { reached.append("26.1") }
        if #available(iOS 27.0, *) { reached.append("27") }
        guard #available(iOS 27.0, macOS 27.0, *) else { return }
        #expect(reached == ["26.1", "27"])
    }
}
