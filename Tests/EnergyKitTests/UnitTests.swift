import EnergyKit
import Testing

@Suite struct UnitTests {
    @Test func milliwattHourIsThreePointSixJoules() {
        let one = Measurement(value: 1, unit: UnitEnergy.EnergyKit.milliwattHours)
        #expect(one.converted(to: .joules).value == 3.6)
        let spelledShort: Measurement<UnitEnergy> = Measurement(value: 1, unit: .EnergyKit.milliwattHours)
        #expect(spelledShort == one)
        #expect(
            Measurement(value: 1, unit: UnitEnergy.kilowattHours).converted(to: .EnergyKit.milliwattHours).value == 1e6)
    }

    @Test(
        arguments: [
            (Measurement(value: 12.345, unit: UnitEnergy.kilowattHours), 12_345.0),
            (Measurement(value: 7_200_123, unit: UnitEnergy.EnergyKit.milliwattHours), 7_200.123),
            (Measurement(value: 0.1, unit: UnitEnergy.EnergyKit.wattHours), 0.1),
            (Measurement(value: 3_600, unit: UnitEnergy.joules), 1),
        ] as [(Measurement<UnitEnergy>, Double)])
    func energyBecomesWattHoursExactly(_ energy: Measurement<UnitEnergy>, _ wattHours: Double) {
        #expect(energy.wattHours == wattHours)
    }

    @Test(
        arguments: [
            (Measurement(value: 7.2, unit: UnitPower.kilowatts), 7_200.0),
            (Measurement(value: 7_000_000, unit: UnitPower.milliwatts), 7_000),
            (Measurement(value: 0.3, unit: UnitPower.watts), 0.3),
            (Measurement(value: 2, unit: UnitPower.megawatts), 2_000_000),
        ] as [(Measurement<UnitPower>, Double)])
    func powerBecomesWattsExactly(_ power: Measurement<UnitPower>, _ watts: Double) {
        #expect(power.watts == watts)
    }
}
