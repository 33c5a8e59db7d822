import EnergyKit

/// A heat pump's session: begin with stage 0, a stage, the end with stage 0.
struct HeatingSession {
    typealias Event = ElectricHVACLoadEvent

    private let home: EnergyVenue
    private let guidance: ElectricityGuidance
    private let id: Event.ID = UUID()
    private let pump = ElectricalLoadDevice(id: "tour-pump", name: "Heat pump", type: .hvac)

    init(at home: EnergyVenue, by guidance: ElectricityGuidance) {
        self.home = home
        self.guidance = guidance
    }

    func run() async throws {
        let first = Event(
            timestamp: guidance.interval.start, measurement: .init(stage: 0), session: session(.begin),
            deviceID: pump.id)
        let events = [first, event(60, 80, .active), event(120, 0, .end)]
        try expect(events[1].deviceName == pump.name && events[1].deviceID == pump.id, "a pump without a name")
        try expect(events[1].measurement.stage == 80 && events[1].session.state == .active, "another stage")
        try expect(events[1].session.guidanceState.guidanceToken == guidance.guidanceToken, "another token")
        try expect(events[1].session.id == id, "another session")
        try expectSame(events[2]) { $0.id == $1.id && $0.timestamp == $1.timestamp }
        try await home.submitEvents(events)
        say("the heat pump ran")
    }

    private func event(_ seconds: Double, _ stage: Int, _ state: Event.Session.State) -> Event {
        Event(
            timestamp: guidance.interval.start.addingTimeInterval(seconds),
            measurement: Event.ElectricalMeasurement(stage: stage), session: session(state), device: pump)
    }

    private func session(_ state: Event.Session.State) -> Event.Session {
        var followed = Event.Session.GuidanceState(wasFollowingGuidance: true, guidanceToken: UUID())
        followed.guidanceToken = guidance.guidanceToken
        return Event.Session(id: id, state: state, guidanceState: followed)
    }
}
