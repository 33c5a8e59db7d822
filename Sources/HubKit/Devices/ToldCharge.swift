import Foundation

/// The charge of a car as another system than its charger told it.
///
/// Cars tell it seldom. Between two times it goes on by the charger's counter:
/// `percent + counted since × efficiency ÷ capacity`; where counter or capacity are not known it holds for half an hour.
struct ToldCharge: Sendable, Equatable {
    /// The charge in percent.
    let percent: Double
    /// When it was told.
    let at: Date
    /// The charger's counter at that time, in watt-hours.
    private var counted: Double?

    /// After how many seconds nothing follows from it any more: the car may have been anywhere.
    static let longestAge: Double = 86_400
    /// For how many seconds it holds where nothing counts.
    static let uncountedAge: Double = 1800

    /// Notes what was told.
    init(percent: Double, at: Date, counted: Double?) {
        self.percent = percent
        self.at = at
        self.counted = counted
    }

    /// Takes the first count after it was told, where none was known.
    mutating func note(_ counted: Double?) {
        self.counted = self.counted ?? counted
    }

    /// The charge at the time of a reading, in percent, where anything follows.
    func sample(at reading: DeviceReading, _ vehicle: VehicleConfiguration?) -> Sample? {
        // The clock may have been set back; then the age is not known.
        guard abs(reading.at.timeIntervalSince(at)) <= Self.longestAge else { return nil }
        if let capacity = vehicle?.capacityWattHours, capacity > 0, let counted,
            let now = reading[.importWattHours], now >= counted
        {
            let gained = (now - counted) * (vehicle?.efficiency ?? 1) / capacity * 100
            return Sample(min(100, percent + gained), at: at, quality: gained < 0.5 ? .measured : .estimated)
        }
        guard abs(reading.at.timeIntervalSince(at)) <= Self.uncountedAge else { return nil }
        return Sample(percent, at: at)
    }
}

extension DeviceState {
    /// Keeps a reading; a car's charge that was told elsewhere is filled in where the charger does not know it.
    mutating func take(_ new: DeviceReading) {
        if ownReading?.plug == .plugged, new.plug == .unplugged {
            // Where the car went, nothing counts what it uses.
            toldCharge = nil
        }
        ownReading = new
        toldCharge?.note(new[.importWattHours])
        fill()
    }

    /// Keeps what was told of the car.
    mutating func take(charge percent: Double, at moment: Date) {
        toldCharge = ToldCharge(percent: percent, at: moment, counted: ownReading?[.importWattHours])
        fill()
    }

    private mutating func fill() {
        guard var whole = ownReading else { return }
        if whole[.stateOfChargePercent] == nil, whole.plug != .unplugged, let toldCharge {
            whole.samples[.stateOfChargePercent] = toldCharge.sample(at: whole, configuration.vehicle)
        }
        reading = whole
    }
}
