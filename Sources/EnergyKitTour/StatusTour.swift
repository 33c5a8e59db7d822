import EnergyKit

/// What a car says of its charging, with every reason there is.
enum StatusTour {
    typealias Event = ElectricVehicleStatusEvent
    typealias Reason = ElectricVehicleChargingReason

    private static let active: [Reason.ActiveReason] = [
        .cleanerEnergyAvailable, .lowerElectricityRatesAvailable, .userInitiated, .userResumed, .scheduledStart,
        .scheduledResume, .demandResponseEnded, .batteryThermalManagementCompleted, .batteryHealthManagementCompleted,
        .chargerFaultCleared, .sufficientPowerRestored, .loadBalancingCompleted, .unknown,
    ]
    private static let idle: [Reason.IdleReason] = [
        .targetStateOfChargeReached, .batteryFull, .targetAlreadyReached, .scheduledEnd, .scheduledPause,
        .waitingForCleanerEnergy, .waitingForLowerElectricityRates, .userPaused, .userStopped, .chargerFault,
        .demandResponseActive, .batteryThermalManagement, .batteryHealthManagement, .insufficientPower,
        .loadBalancing, .unknown,
    ]

    static func run(at home: EnergyVenue, session: UUID, now: Date) async throws {
        try expect(Set(active) == Set(Reason.ActiveReason.allCases) && active.count == 13, "reasons to charge")
        try expect(Set(idle) == Set(Reason.IdleReason.allCases) && idle.count == 16, "reasons to wait")
        let statuses: [Event.Status] =
            [.chargerPluggedIn] + active.map { .chargingActive($0) } + idle.map { .chargingIdle($0) }
            + [.chargerUnplugged]
        let events = statuses.enumerated().map { number, status in
            event(status, at: home, session: session, now: now.addingTimeInterval(Double(number)))
        }
        try check(events[1], at: home, session: session)
        try await home.submitEvents(events)
        say("\(events.count) words about the charger")
    }

    private static func event(_ status: Event.Status, at home: EnergyVenue, session: UUID, now: Date) -> Event {
        Event(
            timestamp: now, device: ElectricalLoadDevice(id: "tour-car", name: "Car", type: .electricVehicle),
            venueID: home.id, status: status, stateOfCharge: 41,
            energy: Measurement(value: 24, unit: .kilowattHours),
            estimatedRange: Measurement(value: 180, unit: .kilometers),
            chargingTarget: Event.ChargingTarget(
                stateOfCharge: 80, estimatedCompletionTime: now.addingTimeInterval(7200), scheduledStartTime: now,
                estimatedRangeAtTarget: Measurement(value: 350, unit: .kilometers)),
            sessionIdentifier: session)
    }

    private static func check(_ event: Event, at home: EnergyVenue, session: UUID) throws {
        try expect(event.status == .chargingActive(.cleanerEnergyAvailable), "another status")
        try expect(event.deviceID == "tour-car" && event.deviceName == "Car", "another car")
        try expect(event.venueID == home.id && event.sessionIdentifier == session, "another place")
        try expect(
            event.stateOfCharge == 41 && event.energy.converted(to: .kilowattHours).value == 24, "another charge")
        try expect(event.estimatedRange?.value == 180, "another range")
        let target: Event.ChargingTarget? = event.chargingTarget
        try expect(target?.stateOfCharge == 80 && target?.estimatedRangeAtTarget?.value == 350, "another target")
        try expect(target?.scheduledStartTime == event.timestamp, "another start")
        try expect(target?.estimatedCompletionTime == event.timestamp.addingTimeInterval(7200), "another end")
        try expectSame(event) { $0.id == $1.id && $0.status == $1.status }
    }
}
