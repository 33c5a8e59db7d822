import EnergyKit
import Testing

@Observable private final class Model {
    var token = UUID()
}

/// Uses every name as code written for Apple's EnergyKit does: with `import EnergyKit` alone.
@Suite struct SurfaceTests {
    static let start = Date(timeIntervalSince1970: 1_774_742_400)
    static let hour = DateInterval(start: start, duration: 3_600)

    @Test func foundationAndObservationComeAlong() throws {
        #expect(Model().token != Model().token)
        #expect(pow(2.0, 2) == 4)
        #expect(Calendar(identifier: .gregorian).identifier == .gregorian)
    }

    @Test func electricVehicleEventKeepsWhatItIsGiven() {
        var guidance = ElectricVehicleLoadEvent.Session.GuidanceState(wasFollowingGuidance: true, guidanceToken: UUID())
        let token = UUID()
        guidance.guidanceToken = token
        let sessionID = UUID()
        let measurement = ElectricVehicleLoadEvent.ElectricalMeasurement(
            stateOfCharge: 55, direction: .imported,
            power: Measurement(value: 7_000_000, unit: .milliwatts),
            energy: Measurement(value: 1_500_000, unit: .EnergyKit.milliwattHours))
        let old = ElectricVehicleLoadEvent(
            timestamp: Self.start, measurement: measurement,
            session: .init(id: sessionID, state: .begin, guidanceState: guidance), deviceID: "car")
        let device = ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle)
        let new = ElectricVehicleLoadEvent(
            timestamp: Self.start, measurement: measurement,
            session: .init(id: sessionID, state: .end, guidanceState: guidance), device: device)
        let ids: [ElectricVehicleLoadEvent.ID] = [old.id, new.id]
        #expect(ids[0] != ids[1])
        #expect(old.timestamp == Self.start && old.deviceID == "car" && old.deviceName == "car" && old.device == nil)
        #expect(new.deviceName == "Car" && new.device == device)
        #expect(old.session.id == sessionID && old.session.state == .begin && new.session.state == .end)
        #expect(old.session.guidanceState.guidanceToken == token && old.session.guidanceState.wasFollowingGuidance)
        #expect(old.measurement.stateOfCharge == 55 && old.measurement.direction == .imported)
        #expect(old.measurement.power.converted(to: .kilowatts).value == 7)
        #expect(old.measurement.performanceMetrics == nil)
    }

    @Test func performanceMetricsAreOptional() {
        let empty = ElectricVehicleLoadEvent.ElectricalMeasurement.PerformanceMetrics()
        #expect(empty.estimatedRange == nil && empty.batteryTemperature == nil)
        let measurement = ElectricVehicleLoadEvent.ElectricalMeasurement(
            stateOfCharge: 1, direction: .exported, power: Measurement(value: 1, unit: .kilowatts),
            energy: Measurement(value: 1, unit: .kilowattHours),
            performanceMetrics: .init(
                estimatedRange: Measurement(value: 320, unit: .kilometers),
                batteryTemperature: Measurement(value: 21, unit: .celsius)))
        #expect(measurement.performanceMetrics?.estimatedRange?.value == 320)
        #expect(measurement.performanceMetrics?.batteryTemperature?.value == 21)
    }

    @Test func hvacEventKeepsWhatItIsGiven() {
        let session = ElectricHVACLoadEvent.Session(
            id: UUID(), state: .active, guidanceState: .init(wasFollowingGuidance: false, guidanceToken: UUID()))
        let old = ElectricHVACLoadEvent(
            timestamp: Self.start, measurement: .init(stage: 40), session: session, deviceID: "pump")
        let new = ElectricHVACLoadEvent(
            timestamp: Self.start, measurement: .init(stage: 100), session: session,
            device: ElectricalLoadDevice(id: "pump", name: "Heat pump", type: .hvac))
        let id: ElectricHVACLoadEvent.ID = old.id
        #expect(id != new.id && old.measurement.stage == 40 && new.measurement.stage == 100)
        #expect(old.session.state == .active && !old.session.guidanceState.wasFollowingGuidance)
        #expect(old.deviceName == "pump" && new.deviceName == "Heat pump" && new.deviceID == "pump")
    }

    @Test func statusEventHasDefaultsForWhatIsUnknown() {
        let venue = UUID()
        let event = ElectricVehicleStatusEvent(
            timestamp: Self.start, device: .init(id: "car", name: "Car", type: .electricVehicle), venueID: venue,
            status: .chargingIdle(.waitingForCleanerEnergy), stateOfCharge: 40,
            energy: Measurement(value: 24, unit: .kilowattHours))
        #expect(event.venueID == venue && event.status == .chargingIdle(.waitingForCleanerEnergy))
        #expect(event.estimatedRange == nil && event.chargingTarget == nil && event.sessionIdentifier == nil)
        #expect(event.deviceID == "car" && event.deviceName == "Car" && event.stateOfCharge == 40)
        #expect(event.status != .chargerPluggedIn && event.status != .chargerUnplugged)
        let target = ElectricVehicleStatusEvent.ChargingTarget(
            stateOfCharge: 80, estimatedCompletionTime: Self.hour.end, scheduledStartTime: Self.hour.start)
        #expect(target.estimatedRangeAtTarget == nil && Set([target, target]).count == 1)
    }

    @Test func reasonsAreAllThere() {
        #expect(ElectricVehicleChargingReason.ActiveReason.allCases.count == 13)
        #expect(ElectricVehicleChargingReason.IdleReason.allCases.count == 16)
        #expect(ElectricityGuidance.Options.allCases == [.locationHasRatePlan, .guidanceIncorporatesRatePlan])
    }

    @Test func guidanceShowsItsParts() {
        let value = ElectricityGuidance.Value(interval: Self.hour, rating: 0.25)
        #expect(value.rating == 0.25 && value.interval == Self.hour)
        #expect(value.pricePerKWh == nil && value.gramsCO2PerKWh == nil)
        let query = ElectricityGuidance.Query(suggestedAction: .reduce)
        #expect(query.suggestedAction == .reduce)
        let guidance = ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: UUID(), suggestedAction: .shift, issuedAt: Self.start,
            interval: Self.hour, options: [.locationHasRatePlan], values: [value])
        #expect(guidance.options.contains(.locationHasRatePlan) && guidance.values.count == 1)
        #expect(guidance.interval == Self.hour && guidance.suggestedAction == .shift)
    }

    @Test func insightTypesShowTheirParts() {
        let query = ElectricityInsightQuery(
            options: [.cleanliness, .tariff], range: Self.hour, granularity: .daily, flowDirection: .imported)
        #expect(query.options.contains(.tariff) && query.granularity == .daily && query.flowDirection == .imported)
        #expect(ElectricityInsightQuery.Options().isEmpty)
        let tariff = ElectricityInsightRecord<Duration>.TariffPeak(
            superOffPeak: .seconds(1), offPeak: nil, partialPeak: nil, onPeak: nil, criticalPeak: nil, unknown: nil)
        let clean = ElectricityInsightRecord<Duration>.GridCleanliness(
            cleaner: nil, lessClean: nil, avoid: .seconds(2), unknown: nil)
        var record = ElectricityInsightRecord<Duration>(range: Self.hour, totalRuntime: .seconds(3))
        record.dataByTariffPeak = tariff
        record.dataByGridCleanliness = clean
        #expect(record.totalEnergy == nil && record.totalRuntime == .seconds(3))
        #expect(
            record.dataByTariffPeak?.superOffPeak == .seconds(1) && record.dataByGridCleanliness?.avoid == .seconds(2))
        func isMeasure<Measure: ElectricityInsightMeasure>(_: Measure.Type) -> Bool { true }
        #expect(isMeasure(Measurement<UnitEnergy>.self) && isMeasure(Duration.self))
    }

    @Test(arguments: [Double.nan, -1, .infinity, .greatestFiniteMagnitude])
    func absurdNumbersAreStoredAndNotTrapped(_ number: Double) {
        let measurement = ElectricVehicleLoadEvent.ElectricalMeasurement(
            stateOfCharge: .max, direction: .imported, power: Measurement(value: number, unit: .watts),
            energy: Measurement(value: number, unit: .EnergyKit.milliwattHours))
        #expect(measurement.stateOfCharge == .max)
        #expect(measurement.power.value == number || measurement.power.value.isNaN)
        #expect(ElectricHVACLoadEvent.ElectricalMeasurement(stage: .min).stage == .min)
        let value = ElectricityGuidance.Value(interval: Self.hour, rating: number)
        #expect(value.rating == number || value.rating.isNaN)
    }
}
