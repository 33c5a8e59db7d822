import Foundation

extension AnyLoadEvent: Equatable {
    /// Whether two events say the same, whatever units they say it in.
    ///
    /// Submitting an event twice is harmless if both say the same under one id. Times are compared to the microsecond,
    /// since the same text of a time may come with more or fewer zeros. A range or temperature that is no number is
    /// unknown, as it is in JSON.
    public static func == (first: AnyLoadEvent, second: AnyLoadEvent) -> Bool {
        first.content == second.content
    }

    private var content: [AnyHashable?] {
        let common: [AnyHashable?] = [id, timestamp.microseconds, deviceID, device]
        switch self {
        case .electricVehicle(let event): return common + ["ev"] + event.session.content + event.measurement.content
        case .hvac(let event): return common + ["hvac"] + event.session.content + [event.measurement.stage]
        case .electricVehicleStatus(let event): return common + ["status"] + event.content
        }
    }
}

extension ElectricVehicleLoadEvent.Session {
    fileprivate var content: [AnyHashable?] {
        [id, state, guidanceState.wasFollowingGuidance, guidanceState.guidanceToken]
    }
}

extension ElectricHVACLoadEvent.Session {
    fileprivate var content: [AnyHashable?] {
        [id, state, guidanceState.wasFollowingGuidance, guidanceState.guidanceToken]
    }
}

extension ElectricVehicleLoadEvent.ElectricalMeasurement {
    fileprivate var content: [AnyHashable?] {
        [
            stateOfCharge, direction, power.watts, energy.wattHours,
            (performanceMetrics?.estimatedRange?.meters).finite,
            (performanceMetrics?.batteryTemperature?.celsius).finite, isEnergyEstimated,
        ]
    }
}

extension ElectricVehicleStatusEvent {
    fileprivate var content: [AnyHashable?] {
        [
            venueID, status, stateOfCharge, energy.wattHours, (estimatedRange?.meters).finite,
            chargingTarget?.stateOfCharge,
            chargingTarget?.estimatedCompletionTime.microseconds, chargingTarget?.scheduledStartTime.microseconds,
            (chargingTarget?.estimatedRangeAtTarget?.meters).finite, sessionIdentifier,
        ]
    }
}

extension Date {
    /// Whole microseconds since 2001; a date that is no number stays different from all others.
    fileprivate var microseconds: Double {
        (timeIntervalSinceReferenceDate * 1e6).rounded()
    }
}
