/// What a number of a device can be, and what to say of one that is not.
public struct PlausibleRange: Sendable, Equatable {
    /// The values that can be.
    public var values: ClosedRange<Double>
    /// Why others can't, as the end of a sentence such as `powerWatts reads 1e30 W, …`.
    public var otherwise: String

    /// Makes a range.
    public init(_ values: ClosedRange<Double>, _ otherwise: String) {
        self.values = values
        self.otherwise = otherwise
    }
}

/// What the quantities of one device can be, from what is known of it: the fuse of its home, what its type can draw, the
/// range it can be set to; general physical bounds where nothing is known.
///
/// The bounds are wide, since they tell lies from measurements and are no limits: a fuse carries thrice its rating for a
/// moment, and an overload must be seen as one.
public struct PlausibleRanges: Sendable, Equatable {
    private var ranges: [Quantity: PlausibleRange]
    /// The most power that can flow through the device, in watts: a counter rises no faster.
    public private(set) var mostWatts: PlausibleRange

    /// The range of a quantity.
    public subscript(quantity: Quantity) -> PlausibleRange? { ranges[quantity] }

    /// What is known of a device.
    /// - Parameters:
    ///   - profile: its type, where it is one of a profile.
    ///   - connection: the fuse of its home.
    ///   - chargerAmps: the highest current of a charger without a profile, in amps.
    public init(profile: DeviceProfile? = nil, connection: GridConnection? = nil, chargerAmps: Double? = nil) {
        let (watts, amps) = PlausibleRanges.flow(
            profile, connection, chargerAmps ?? profile?.charger?.current.maximumAmps)
        mostWatts = watts
        ranges = PlausibleRanges.general
        for quantity in [Quantity.powerWatts, .powerL1Watts, .powerL2Watts, .powerL3Watts] { ranges[quantity] = watts }
        for quantity in [Quantity.currentL1Amps, .currentL2Amps, .currentL3Amps] { ranges[quantity] = amps }
        if let settable = profile?.hvac?.setpointCelsius {
            // A person may have set it at the device, beyond what the hub may.
            let most = max(settable.upperBound + 20, 80)
            ranges[.setpointCelsius] = PlausibleRange(
                min(settable.lowerBound - 20, -10)...most, "and no setpoint is that")
        }
    }

    /// How often a rated current may be exceeded for a moment.
    private static let overload = 3.0

    private static func flow(
        _ profile: DeviceProfile?, _ connection: GridConnection?, _ chargerAmps: Double?
    ) -> (watts: PlausibleRange, amps: PlausibleRange) {
        var watts = PlausibleRange(symmetric(300_000), "more than any home's connection carries")
        var amps = PlausibleRange(symmetric(1_000), "more than any home's connection carries")
        if let connection {
            // A small connection says little of what flows behind it, from the roof to the car.
            let most = max(connection.importWatts * overload, 30_000)
            watts = PlausibleRange(symmetric(most), "more than the connection can carry")
            amps = PlausibleRange(symmetric(max(connection.amps * overload, 60)), "more than the connection can carry")
        }
        if let chargerAmps {
            let most = chargerAmps * 1.5 + 2
            amps = tighter(amps, PlausibleRange(symmetric(most), "more than such a charger can draw"))
            watts = tighter(watts, PlausibleRange(symmetric(most * 3 * 250), "more than such a charger can draw"))
        }
        if let full = profile?.hvac?.fullPowerWatts {
            // Immersion heaters come on top of the compressor.
            let most = max(full * 5, 20_000)
            watts = tighter(watts, PlausibleRange(symmetric(most), "more than such a device can draw"))
        }
        return (watts, amps)
    }

    private static func symmetric(_ most: Double) -> ClosedRange<Double> { -most...most }

    private static func tighter(_ one: PlausibleRange, _ other: PlausibleRange) -> PlausibleRange {
        other.values.upperBound < one.values.upperBound ? other : one
    }

    /// What holds everywhere.
    private static let general: [Quantity: PlausibleRange] = {
        var ranges: [Quantity: PlausibleRange] = [
            .frequencyHertz: PlausibleRange(40...70, "and grids run at 50 or 60 Hz"),
            .limitAmps: PlausibleRange(0...200, "and no charger offers that"),
            .phaseCount: PlausibleRange(0...3, "and there are at most three phases"),
            .roomCelsius: PlausibleRange(-40...80, "and no room is that warm or cold"),
            .outdoorCelsius: PlausibleRange(-70...70, "and no air is that warm or cold"),
            .setpointCelsius: PlausibleRange(-10...80, "and no setpoint is that"),
        ]
        for quantity in [Quantity.importWattHours, .exportWattHours, .sessionWattHours] {
            ranges[quantity] = PlausibleRange(0...1e11, "and a counter runs from 0 to what a home uses in its life")
        }
        for quantity in [Quantity.voltageL1Volts, .voltageL2Volts, .voltageL3Volts] {
            ranges[quantity] = PlausibleRange(0...500, "and no home's wires have that")
        }
        for quantity in [Quantity.stateOfChargePercent, .stagePercent] {
            // A little beyond is rounding.
            ranges[quantity] = PlausibleRange(-0.5...100.5, "and it is from 0 to 100 %")
        }
        for quantity in [Quantity.flowCelsius, .returnCelsius, .hotWaterCelsius] {
            ranges[quantity] = PlausibleRange(-40...150, "and no water in a pipe is that warm or cold")
        }
        return ranges
    }()
}
