import Foundation
import HubKit
import Testing

/// The charge of a car that another system than its charger tells.
@Suite struct ToldChargeTests {
    private let board = DeviceBoard()
    private let start = Date(timeIntervalSince1970: 1_780_000_000)

    private func add(capacityWattHours: Double?) {
        var configuration = DeviceConfiguration(
            id: "car", name: "Car", venueID: UUID(), driver: "ev", connection: .none)
        configuration.vehicle = VehicleConfiguration(capacityWattHours: capacityWattHours, efficiency: 0.9)
        board.add(
            configuration, kind: .ev, capabilities: DeviceCapabilities(), health: DeviceHealth(.ok, since: start))
    }

    private func read(
        _ seconds: Double, plug: PlugState? = .plugged, counted: Double? = nil, charge: Double? = nil
    ) -> Sample? {
        var reading = DeviceReading(at: start.addingTimeInterval(seconds))
        reading.plug = plug
        reading[.importWattHours] = counted
        reading[.stateOfChargePercent] = charge
        board.post(reading, for: "car")
        return board["car"]?.reading?.samples[.stateOfChargePercent]
    }

    private func tell(_ percent: Double, _ seconds: Double) {
        board.post(stateOfCharge: percent, at: start.addingTimeInterval(seconds), for: "car")
    }

    @Test("what was told shows at once, and goes on by the charger's counter")
    func goesOn() {
        add(capacityWattHours: 50_000)
        #expect(read(0, counted: 1000) == nil)
        tell(40, 1)
        #expect(board["car"]?.reading?[.stateOfChargePercent] == 40)
        // 10 kWh at the meter are 9 kWh in the battery: 18 %.
        let later = read(3600, counted: 11_000)
        #expect(later?.value == 58 && later?.quality == .estimated)
        tell(57, 3601)
        #expect(board["car"]?.reading?[.stateOfChargePercent] == 57)
        #expect(read(7200, counted: 90_000)?.value == 100)
    }

    @Test("a charger that knows the charge itself is believed")
    func ownIsBelieved() {
        add(capacityWattHours: 50_000)
        tell(40, 0)
        #expect(read(1, charge: 62)?.value == 62)
        tell(41, 2)
        #expect(board["car"]?.reading?[.stateOfChargePercent] == 62)
        #expect(read(3)?.value == 41)
    }

    @Test("a car that is not plugged in has no charge here; what it tells on its way counts when it comes")
    func onItsWay() {
        add(capacityWattHours: 50_000)
        #expect(read(0, plug: .unplugged, counted: 500) == nil)
        tell(33, 10)
        #expect(read(20, plug: .unplugged, counted: 500) == nil)
        #expect(read(600, counted: 500)?.value == 33)
        // It leaves, and what was told before counts no more when it is back.
        #expect(read(700, plug: .unplugged, counted: 500) == nil)
        #expect(read(800, counted: 500) == nil)
    }

    @Test(
        "it is forgotten: after half an hour where nothing counts, else after a day; unknown is never zero (M-4)",
        arguments: [(nil, 1801.0), (50_000.0, 86_401.0)] as [(Double?, Double)])
    func isForgotten(capacity: Double?, age: Double) {
        add(capacityWattHours: capacity)
        tell(40, 0)
        #expect(read(1, counted: 1000)?.value == 40)
        #expect(read(age - 2, counted: 1000)?.value == 40)
        #expect(read(age, counted: 1000) == nil)
        // A clock that was set back far says nothing of its age.
        #expect(read(-age, counted: 1000) == nil)
    }

    @Test("a counter that starts again does not make it less")
    func counterStartsAgain() {
        add(capacityWattHours: 50_000)
        _ = read(0, counted: 1000)
        tell(40, 1)
        #expect(read(60, counted: 10)?.value == 40)
        #expect(read(3600, counted: 20) == nil)
    }
}
