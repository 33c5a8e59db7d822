import EnergyKit
import Testing

/// Impossible values at every public entry: they are kept, refused with a documented error, or unknown, and never a trap.
@Suite struct BadInputTests {
    static let numbers: [Double] = [
        .nan, .signalingNaN, .infinity, -.infinity, -0.0, -1, .leastNonzeroMagnitude, 1e19, -1e19, 1e300,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]
    /// Seconds since 2001, not dates: a test names its arguments, and Foundation traps where it describes a date that is
    /// no number.
    static let moments = numbers + [Date.distantPast, .distantFuture].map(\.timeIntervalSinceReferenceDate)
    static let texts = [
        "", " ", "\u{0}", "\n\t", "\u{200D}", "\u{FEFF}", String(repeating: "é", count: 100_000), "👨‍👩‍👧‍👦", "../../etc",
        "a\u{0301}\u{0301}\u{0301}", "\u{E000}", "%s%n",
    ]
    static let integers = [Int.min, Int.min + 1, -1, 101, 1 << 53 + 1, .max]

    @Test(arguments: moments) func strangeTimesAreRefusedWhenWritten(_ seconds: Double) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let isWritable = EnergyKitJSON.string(from: date) != nil
        for event in Samples.events(at: date) {
            #expect(isWritten(event) == isWritable)
            let isKept = event.timestamp == date || seconds.isNaN
            #expect(isKept)
            #expect((event == event) != seconds.isNaN)
        }
        #expect(isWritten(Samples.target(date)) == isWritable)
        let interval = DateInterval(start: date, duration: 0)
        #expect(isWritten(ElectricityGuidance.Value(interval: interval, rating: 0)) == isWritable)
        #expect(isWritten(Samples.query(interval)) == isWritable)
        #expect(isWritten(Samples.guidance(interval)) == isWritable)
        _ = ElectricityInsightRecord<Duration>(range: interval)
    }

    @Test(arguments: numbers) func strangeNumbersAreRefusedWhenWritten(_ number: Double) {
        let isWritable = number.isFinite
        #expect(isWritten(Samples.vehicle(energy: .init(value: number, unit: .joules))) == isWritable)
        // A number of kilowatts may become too large as watts.
        let kilowatts = Measurement(value: number, unit: UnitPower.kilowatts)
        #expect(isWritten(Samples.vehicle(power: kilowatts)) == (kilowatts.value * 1_000).isFinite)
        let value = ElectricityGuidance.Value(
            interval: SurfaceTests.hour, rating: number, pricePerKWh: number, gramsCO2PerKWh: number)
        #expect(isWritten(value) == isWritable)
        let metrics = ElectricVehicleLoadEvent.ElectricalMeasurement.PerformanceMetrics(
            estimatedRange: .init(value: number, unit: .miles),
            batteryTemperature: .init(value: number, unit: .fahrenheit))
        #expect(isWritten(metrics), "what is no number is unknown")
        for text in [
            Measurement(value: number, unit: UnitEnergy.EnergyKit.milliwattHours).formatted(),
            Measurement(value: number, unit: UnitTemperature.kelvin).formatted(.measurement(width: .narrow)),
        ] { #expect(!text.isEmpty) }
        let formatter = MeasurementFormatter()
        formatter.unitOptions = .naturalScale
        #expect(formatter.string(from: Measurement(value: number, unit: UnitEnergy.joules)).hasSuffix("h"))
    }

    @Test(arguments: texts) func strangeNamesGiveANameToShow(_ text: String) {
        let device = ElectricalLoadDevice(id: text, name: text, type: .hvac)
        let names = [
            Samples.hvac(device: device).deviceName, Samples.vehicle(device: device).deviceName,
            Samples.hvac(deviceID: text).deviceName, Samples.status(device: device).deviceName,
        ]
        for name in names { #expect(!name.isEmpty && name.utf16.count <= 250) }
        #expect(isWritten(device) && isWritten(AnyLoadEvent.hvac(Samples.hvac(deviceID: text))))
        #expect(EnergyKitJSON.date(from: text) == nil && EnergyKitError(code: text) == nil)
        #expect(throws: EnergyKitFailure.self) { try AnyLoadEvent.batch(from: Data(text.utf8)) }
    }

    @Test(arguments: integers) func strangeIntegersAreKept(_ number: Int) {
        let measurement = ElectricHVACLoadEvent.ElectricalMeasurement(stage: number)
        #expect(measurement.stage == number && isWritten(measurement))
        #expect(
            ElectricityInsightQuery.Options(rawValue: UInt(bitPattern: number)).rawValue == UInt(bitPattern: number))
        #expect(isWritten(ElectricityInsightQuery.Options(rawValue: UInt(bitPattern: number))))
        #expect(isWritten(Samples.vehicle(stateOfCharge: number)))
    }

    @Test func theNumberThatStandsForNoChargeIsNoChargeInJSON() throws {
        let unknown = ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge
        let text = try json(Samples.vehicle(stateOfCharge: unknown))
        #expect(!text.contains("stateOfCharge"))
        #expect(throws: DecodingError.self) {
            try read(
                ElectricVehicleLoadEvent.ElectricalMeasurement.self,
                #"{"stateOfCharge":\#(unknown),"direction":"imported","powerWatts":0,"energyWattHours":0}"#)
        }
    }

    @Test func callsCarryWhateverTheyAreGivenToTheBackend() async throws {
        let backend = MemoryBackend()
        let home = VenueServiceTests.home
        try await EnergyKitSystem.withBackend(backend) {
            for moment in Self.moments {
                let date = Date(timeIntervalSinceReferenceDate: moment)
                try await home.submitEvents(Samples.events(at: date).map(\.event))
            }
            for text in Self.texts {
                let query = Samples.query(DateInterval(start: .distantPast, end: .distantFuture))
                let records = try await ElectricityInsightService.shared.energyInsights(
                    forDeviceID: text, using: query, atVenue: home.id)
                for await record in records { #expect(record.range == query.range) }
                for try await guidance in ElectricityGuidance.sharedService.guidance(
                    using: .init(suggestedAction: .reduce), at: home.id, forDeviceID: text)
                {
                    #expect(guidance.suggestedAction == .reduce)
                    break
                }
            }
            await #expect(throws: EnergyKitError.venueUnavailable) { try await EnergyVenue.venue(for: UUID()) }
        }
        #expect(backend.submitted.count == Self.moments.count)
    }

    @Test func hundredThousandEventsInOneCall() async throws {
        let backend = MemoryBackend()
        let event = Samples.hvac(deviceID: "pump")
        try await EnergyKitSystem.withBackend(backend) {
            try await VenueServiceTests.home.submitEvents(Array(repeating: event, count: 100_000))
        }
        #expect(backend.submitted.first?.count == 100_000)
        let one = try EnergyKitJSON.encoder().encode(event)
        let batch =
            Data("[".utf8) + Data(Array(repeating: one, count: 20_000).joined(separator: [0x2C])) + Data("]".utf8)
        #expect(try AnyLoadEvent.batch(from: batch).count == 20_000)
    }

    @Test(arguments: [1_000, 100_000]) func deepNestingIsRefused(_ depth: Int) async {
        await #expect(processExitsWith: .success) { [depth = depth as Int] in
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(throws: EnergyKitFailure.self) { try AnyLoadEvent.batch(from: Data(text.utf8)) }
            let object = String(repeating: #"{"measurement":"#, count: depth)
            #expect(throws: (any Error).self) { try read(AnyLoadEvent.self, object) }
        }
    }

    /// Whether a value becomes JSON; anything but an `EncodingError` that says no is a fault.
    private func isWritten(_ value: some Encodable) -> Bool {
        do {
            return try !EnergyKitJSON.encoder().encode(value).isEmpty
        } catch let error as EncodingError {
            // Describing the refusal is part of refusing.
            return String(describing: error).isEmpty
        } catch {
            Issue.record(error)
            return false
        }
    }
}

/// Values to spoil one part of.
private enum Samples {
    static let token = UUID()
    static let car = ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle)

    static func events(at date: Date) -> [AnyLoadEvent] {
        [
            .electricVehicle(vehicle(at: date)), .hvac(hvac(at: date, deviceID: "pump")),
            .electricVehicleStatus(status(at: date)),
        ]
    }

    static func vehicle(
        at date: Date = SurfaceTests.start, stateOfCharge: Int = 50, power: Measurement<UnitPower> = .watts(0),
        energy: Measurement<UnitEnergy> = .wattHours(0), device: ElectricalLoadDevice = car
    ) -> ElectricVehicleLoadEvent {
        ElectricVehicleLoadEvent(
            timestamp: date,
            measurement: .init(
                stateOfCharge: stateOfCharge, direction: .imported, power: power, energy: energy,
                performanceMetrics: nil),
            session: .init(
                id: UUID(), state: .active, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
            device: device)
    }

    static func hvac(at date: Date = SurfaceTests.start, deviceID: String) -> ElectricHVACLoadEvent {
        ElectricHVACLoadEvent(
            timestamp: date, measurement: .init(stage: 40), session: hvacSession, deviceID: deviceID)
    }

    static func hvac(device: ElectricalLoadDevice) -> ElectricHVACLoadEvent {
        ElectricHVACLoadEvent(
            timestamp: SurfaceTests.start, measurement: .init(stage: 40), session: hvacSession, device: device)
    }

    private static let hvacSession = ElectricHVACLoadEvent.Session(
        id: UUID(), state: .active, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token))

    static func status(
        at date: Date = SurfaceTests.start, device: ElectricalLoadDevice = car
    ) -> ElectricVehicleStatusEvent {
        ElectricVehicleStatusEvent(
            timestamp: date, device: device, venueID: token, status: .chargerPluggedIn, stateOfCharge: 40,
            energy: .wattHours(1))
    }

    static func target(_ date: Date) -> ElectricVehicleStatusEvent.ChargingTarget {
        .init(stateOfCharge: 80, estimatedCompletionTime: date, scheduledStartTime: SurfaceTests.start)
    }

    static func query(_ range: DateInterval) -> ElectricityInsightQuery {
        ElectricityInsightQuery(options: [.tariff], range: range, granularity: .yearly, flowDirection: .imported)
    }

    static func guidance(_ interval: DateInterval) -> ElectricityGuidance {
        ElectricityGuidance(
            guidanceToken: token, energyVenueID: token, suggestedAction: .shift, issuedAt: SurfaceTests.start,
            interval: interval, options: [], values: [])
    }
}
