import EnergyKit

/// A car's session: its begin, one measurement, its end, with the events of 26 and of 27.
struct VehicleSession {
    typealias Event = ElectricVehicleLoadEvent

    let id: Event.ID = UUID()
    private let home: EnergyVenue
    private let start: Date
    private var token: UUID
    private let car = ElectricalLoadDevice(id: "tour-car", name: "Car of the tour", type: .electricVehicle)

    init(at home: EnergyVenue, by guidance: ElectricityGuidance) {
        self.home = home
        start = guidance.interval.start
        token = guidance.guidanceToken
    }

    mutating func begin() async throws {
        let begin = Event(
            timestamp: start,
            measurement: Event.ElectricalMeasurement(
                stateOfCharge: 40, direction: .imported, power: Measurement(value: 0, unit: .kilowatts),
                energy: Measurement(value: 0, unit: UnitEnergy.EnergyKit.milliwattHours)),
            session: session(.begin), deviceID: car.id)
        let active = Event(
            timestamp: start.addingTimeInterval(60),
            measurement: measurement(charge: 41, watts: 7_000, milliwattHours: 116_667), session: session(.active),
            device: car)
        try check(active)
        try await home.submitEvents([begin, active])
        try await home.submitEvents([begin, active])
        say("the car charges")
    }

    mutating func end(by guidance: ElectricityGuidance) async throws {
        var state = Event.Session.GuidanceState(wasFollowingGuidance: false, guidanceToken: token)
        state.guidanceToken = guidance.guidanceToken
        let end = Event(
            timestamp: start.addingTimeInterval(120),
            measurement: measurement(charge: 42, watts: 0, milliwattHours: 200_000),
            session: Event.Session(id: id, state: .end, guidanceState: state), device: car)
        let mixed: [any ElectricalLoadEventProtocol] = [end]
        try await home.submitEvents(mixed)
        try await expectError(.invalidLoadEvent) {
            try await home.submitEvents([late(after: end)])
        }
        say("the car is done")
    }

    private func late(after end: Event) -> Event {
        Event(
            timestamp: end.timestamp.addingTimeInterval(10), measurement: end.measurement,
            session: session(.active), device: car)
    }

    private func session(_ state: Event.Session.State) -> Event.Session {
        .init(id: id, state: state, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token))
    }

    private func measurement(charge: Int, watts: Double, milliwattHours: Double) -> Event.ElectricalMeasurement {
        Event.ElectricalMeasurement(
            stateOfCharge: charge, direction: ElectricityFlowDirection.imported,
            power: Measurement(value: watts, unit: .watts),
            energy: Measurement(value: milliwattHours, unit: .EnergyKit.milliwattHours),
            performanceMetrics: .init(
                estimatedRange: Measurement(value: 200, unit: .kilometers),
                batteryTemperature: Measurement(value: 21, unit: .celsius)))
    }

    private func check(_ event: Event) throws {
        try expect(event.deviceID == car.id && event.deviceName == car.name, "a car without a name")
        try expect(event.session.id == id && event.session.state == .active, "a session with another state")
        try expect(event.session.guidanceState.wasFollowingGuidance, "a session that forgets")
        let measurement = event.measurement
        try expect(measurement.stateOfCharge == 41 && measurement.direction == .imported, "another measurement")
        try expect(measurement.power.converted(to: .kilowatts).value == 7, "another power")
        try expect(abs(measurement.energy.converted(to: .joules).value - 420_001.2) < 0.001, "another energy")
        let metrics: Event.ElectricalMeasurement.PerformanceMetrics? = measurement.performanceMetrics
        try expect(metrics?.estimatedRange?.converted(to: .meters).value == 200_000, "another range")
        try expect(
            metrics?.batteryTemperature != nil
                && Event.ElectricalMeasurement.PerformanceMetrics()
                    .estimatedRange == nil,
            "another temperature")
        try expectSame(event) { $0.id == $1.id && $0.timestamp == $1.timestamp }
        try expectSame(car) { $0 == $1 && $0.type == ElectricalLoadDevice.DeviceType.electricVehicle }
        try expect(Set([ElectricityFlowDirection.imported, .exported]).count == 2, "directions")
        try expect(Set([Event.Session.State.begin, .active, .end]).count == 3, "states")
    }
}
