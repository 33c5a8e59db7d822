import EnergyKit
import Foundation

/// Events of one charging session that a hub accepts.
struct SampleEvents: Sendable {
    var token: UUID
    var start: Date
    var deviceID = "car"
    var session = UUID()

    init(_ guidance: ElectricityGuidance) {
        token = guidance.guidanceToken
        // A whole hour that is over, so that the present does not cut what belongs together.
        let hour = (guidance.issuedAt.timeIntervalSince1970 / 3600).rounded(.down) - 2
        start = Date(timeIntervalSince1970: hour * 3600)
    }

    func vehicle(
        _ state: ElectricVehicleLoadEvent.Session.State, minute: Double, watts: Double = 0, wattHours: Double = 0,
        charge: Int = 50, at place: Date? = nil
    ) -> ElectricVehicleLoadEvent {
        ElectricVehicleLoadEvent(
            timestamp: place ?? start.addingTimeInterval(minute * 60),
            measurement: .init(
                stateOfCharge: charge, direction: .imported, power: Measurement(value: watts, unit: .watts),
                energy: Measurement(value: wattHours, unit: .EnergyKit.wattHours), performanceMetrics: nil),
            session: .init(id: session, state: state, guidanceState: followed),
            device: ElectricalLoadDevice(id: deviceID, name: "Car", type: .electricVehicle))
    }

    func heating(_ state: ElectricHVACLoadEvent.Session.State, minute: Double, stage: Int) -> ElectricHVACLoadEvent {
        ElectricHVACLoadEvent(
            timestamp: start.addingTimeInterval(minute * 60), measurement: .init(stage: stage),
            session: .init(
                id: session, state: state,
                guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
            device: ElectricalLoadDevice(id: deviceID, name: "Pump", type: .hvac))
    }

    func status(at venue: UUID) -> ElectricVehicleStatusEvent {
        ElectricVehicleStatusEvent(
            timestamp: start, device: ElectricalLoadDevice(id: deviceID, name: "Car", type: .electricVehicle),
            venueID: venue, status: .chargerPluggedIn, stateOfCharge: 50,
            energy: Measurement(value: 20, unit: .kilowattHours))
    }

    /// An hour of charging with 2 kWh.
    var hour: [ElectricVehicleLoadEvent] {
        [
            vehicle(.begin, minute: 0), vehicle(.active, minute: 30, watts: 2000, wattHours: 1000),
            vehicle(.end, minute: 60, wattHours: 2000),
        ]
    }

    private var followed: ElectricVehicleLoadEvent.Session.GuidanceState {
        .init(wasFollowingGuidance: true, guidanceToken: token)
    }
}

/// One event each that breaks one rule.
enum WrongEvent: CaseIterable, Sendable {
    case negativeEnergy, energyThatIsNoNumber, endlessPower, chargeAbove100, stageBelow0, foreignToken, future, old
    case noDevice, statusElsewhere, activeAfterEnd

    /// The event, and the rule that it breaks.
    func event(_ samples: SampleEvents) -> (AnyLoadEvent, LoadEventRule) {
        var samples = samples
        samples.session = UUID()
        let day = 86_400.0
        switch self {
        case .negativeEnergy: return (car(samples, wattHours: -1), .energy)
        case .energyThatIsNoNumber: return (car(samples, wattHours: .nan), .energy)
        case .endlessPower: return (car(samples, watts: .infinity), .power)
        case .chargeAbove100: return (car(samples, charge: 101), .stateOfCharge)
        case .stageBelow0: return (.hvac(samples.heating(.active, minute: 1, stage: -1)), .stage)
        case .foreignToken:
            samples.token = UUID()
            return (car(samples), .tokenNeverIssued)
        case .future: return (car(samples, at: samples.start.addingTimeInterval(day)), .inTheFuture)
        case .old: return (car(samples, at: samples.start.addingTimeInterval(-401 * day)), .tooOld)
        case .noDevice:
            samples.deviceID = ""
            return (car(samples), .emptyDeviceID)
        case .statusElsewhere: return (.electricVehicleStatus(samples.status(at: UUID())), .venue)
        case .activeAfterEnd: return (car(samples), .afterEnd)
        }
    }

    private func car(
        _ samples: SampleEvents, watts: Double = 0, wattHours: Double = 0, charge: Int = 50, at place: Date? = nil
    ) -> AnyLoadEvent {
        .electricVehicle(
            samples.vehicle(.active, minute: 1, watts: watts, wattHours: wattHours, charge: charge, at: place))
    }

    /// The whole batch: a right event, then the wrong one, for some with what makes it wrong before it.
    func batch(_ samples: SampleEvents) -> (events: [AnyLoadEvent], index: Int, rule: LoadEventRule) {
        let right = AnyLoadEvent.electricVehicle(samples.vehicle(.begin, minute: 0))
        guard self == .activeAfterEnd else {
            let (wrong, rule) = event(samples)
            return ([right, wrong], 1, rule)
        }
        let end = AnyLoadEvent.electricVehicle(samples.vehicle(.end, minute: 1))
        let late = AnyLoadEvent.electricVehicle(samples.vehicle(.active, minute: 2))
        return ([right, end, late], 2, .afterEnd)
    }
}
