import Foundation
import HubKit
import OCPP
import Testing

/// Sampled values as quantities.
@Suite struct MeasuredValuesTests {
    private func measured(_ values: String, phases: Int = 3) throws -> MeasuredValues {
        let json = #"{"connectorId":1,"meterValue":[{"timestamp":"2026-03-01T10:00:00Z","sampledValue":[\#(values)]}]}"#
        let payload = try JSONDecoder().decode(Payload.self, from: Data(json.utf8))
        guard case .meterValues(let values) = try ChargePointRequest("MeterValues", payload) else {
            throw CallError(.genericError, "no meter values")
        }
        return MeasuredValues(values.moments.flatMap(\.values), phases: phases)
    }

    @Test(arguments: [
        (#"{"value":"13423.7"}"#, Quantity.importWattHours, 13423.7),
        (#"{"value":"13.4237","unit":"kWh","measurand":"Energy.Active.Import.Register"}"#, .importWattHours, 13423.7),
        (#"{"value":"7","unit":"kWh","measurand":"Energy.Active.Export.Register"}"#, .exportWattHours, 7000),
        (#"{"value":"11.04","unit":"kW","measurand":"Power.Active.Import"}"#, .powerWatts, 11040),
        (#"{"value":"11040","measurand":"Power.Active.Import"}"#, .powerWatts, 11040),
        (#"{"value":"3000","unit":"W","measurand":"Power.Active.Export"}"#, .powerWatts, -3000),
        (#"{"value":"15.9","unit":"A","phase":"L2","measurand":"Current.Import"}"#, .currentL2Amps, 15.9),
        (#"{"value":"231","unit":"V","phase":"L3-N","measurand":"Voltage"}"#, .voltageL3Volts, 231),
        (#"{"value":"16","unit":"A","measurand":"Current.Offered"}"#, .limitAmps, 16),
        (#"{"value":"55","unit":"Percent","measurand":"SoC","location":"EV"}"#, .stateOfChargePercent, 55),
        (#"{"value":55,"measurand":"SoC"}"#, .stateOfChargePercent, 55),
        (#"{"value":" 0 ","measurand":"Power.Active.Import"}"#, .powerWatts, 0),
    ])
    func readsUnitsAndPhases(_ value: String, _ quantity: Quantity, _ number: Double) throws {
        let values = try measured(value).values
        #expect(Array(values.keys) == [quantity])
        #expect(abs((values[quantity]?.number ?? .nan) - number) < 1e-6)
    }

    @Test(arguments: [
        #"{"value":"5","unit":"kvarh","measurand":"Energy.Active.Import.Register"}"#,
        #"{"value":"5","measurand":"Energy.Reactive.Import.Register"}"#,
        #"{"value":"5","measurand":"Energy.Active.Import.Interval"}"#,
        #"{"value":"5","measurand":"Energy.Active.Import.Register","phase":"L1"}"#,
        #"{"value":"400","measurand":"Voltage","phase":"L1-L2"}"#,
        #"{"value":"16","measurand":"Current.Import"}"#,
        #"{"value":"16","measurand":"Current.Import","phase":"N"}"#,
        #"{"value":"80","measurand":"Power.Active.Import","location":"Inlet"}"#,
        #"{"value":"40","measurand":"Temperature","unit":"Celsius"}"#,
        #"{"value":"AAEC","format":"SignedData","measurand":"Power.Active.Import"}"#,
    ])
    func leavesOutWhatItCannotPlace(_ value: String) throws {
        let measured = try measured(value)
        #expect(measured.values.isEmpty && measured.doubts.isEmpty)
    }

    @Test func aValueThatIsNoNumberIsUnknownAndSaid() throws {
        let measured = try measured(
            #"{"value":"NaN","measurand":"Power.Active.Import"},{"value":"","measurand":"SoC"}"#)
        #expect(measured.values.isEmpty)
        #expect(Set(measured.doubts.keys) == [.powerWatts, .stateOfChargePercent])
    }

    @Test func powerIsTheSumOfAllPhasesOrUnknown() throws {
        func phase(_ name: String, _ watts: Int) -> String {
            #"{"value":"\#(watts)","phase":"\#(name)","measurand":"Power.Active.Import"}"#
        }
        let three = [phase("L1", 3600), phase("L2", 3500), phase("L3", 0)]
        #expect(try measured(three.joined(separator: ",")).values[.powerWatts]?.number == 7100)
        #expect(try measured(three[0]).values[.powerWatts] == nil)
        #expect(try measured(three[0], phases: 1).values[.powerWatts]?.number == 3600)
    }

    @Test func withOnePhaseACurrentWithoutANameIsItsOwn() throws {
        let values = try measured(#"{"value":"16","measurand":"Current.Import"}"#, phases: 1).values
        #expect(values[.currentL1Amps]?.number == 16)
    }
}
