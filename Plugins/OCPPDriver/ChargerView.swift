import Foundation
import HubKit
import OCPP

/// What a charger said so far of one connector; pure values.
struct ChargerView: Sendable {
    let connector: Int
    let phases: Int
    /// What the connector does, by its last word.
    private(set) var status: StatusNotification?
    /// When that came to be.
    private(set) var statusSince: Date?
    /// What the charger says of itself as a whole.
    private(set) var whole: StatusNotification?
    /// When values were last received.
    private(set) var measuredAt: Date?
    /// What was said that is no number.
    private(set) var doubts: [Quantity: String] = [:]
    private(set) var samples: [Quantity: Sample] = [:]
    /// What was sent for each value.
    private(set) var raw: [Quantity: String] = [:]
    private var hasRegister = false
    private var theirClock = ChargerClock()

    init(connector: Int, phases: Int) {
        self.connector = connector
        self.phases = phases
    }

    /// What the connector does; several chargers with one connector speak of the whole only.
    var current: StatusNotification? { status ?? whole }

    /// What the charger says is wrong.
    var fault: String? { status?.fault ?? whole?.fault }

    /// Takes in a status.
    /// - Returns: whether it is news of this connector; one that was sent before the last one is late.
    mutating func note(_ new: StatusNotification, at now: Date) -> Bool {
        guard new.connector == connector || new.connector == 0 else { return false }
        let known = new.connector == 0 ? whole : status
        // Further back it is a clock that was set, and no delay.
        if let at = new.at, let last = known?.at, at < last, last.timeIntervalSince(at) < 600 { return false }
        if known?.status != new.status {
            statusSince = now
            if new.status == .available { samples[.stateOfChargePercent] = nil }
        }
        if new.connector == 0 { whole = new } else { status = new }
        return new.connector == connector
    }

    /// Takes in meter values; of each quantity the newest counts, in whatever order they come.
    mutating func note(_ values: MeterValues, at now: Date) {
        guard values.connector == connector else { return }
        for moment in values.moments {
            let at = theirClock.moment(moment.at, receivedAt: now)
            let measured = MeasuredValues(moment.values, phases: phases)
            doubts = measured.doubts
            for (quantity, value) in measured.values {
                note(value.number, quantity, at: at, raw: value.raw)
                if quantity == .importWattHours { hasRegister = true }
            }
        }
        if !values.moments.isEmpty { measuredAt = now }
    }

    /// Takes in the counter that a start or a stop names, where meter values don't tell it.
    mutating func note(counter wattHours: Double, at time: Date?, receivedAt now: Date) {
        guard !hasRegister else { return }
        let at = theirClock.moment(time, receivedAt: now)
        note(wattHours, .importWattHours, at: at, raw: Payload.number(wattHours).json)
    }

    private mutating func note(_ number: Double, _ quantity: Quantity, at: Date, raw text: String) {
        guard samples[quantity].map({ $0.at <= at }) ?? true, let sample = Sample(number, at: at) else { return }
        samples[quantity] = sample
        raw[quantity] = text
    }

    /// The charger has been told the time.
    mutating func clockWasTold() { theirClock.wasTold() }

    // MARK: - Reading

    /// What is known now.
    /// - Parameters:
    ///   - heard: when the charger was last heard; what it says of its state holds until it says otherwise.
    ///   - transaction: the transaction that goes on.
    ///   - staleSeconds: the age at which a measured value counts no more.
    func reading(
        heard: Date, transaction: TransactionLedger.Transaction?, staleSeconds: Double, at now: Date
    ) -> DeviceReading {
        var reading = DeviceReading(at: heard)
        for (quantity, sample) in samples where counts(quantity, sample, staleSeconds, now) {
            reading.samples[quantity] = sample
        }
        if let counter = samples[.importWattHours] {
            reading.samples[.sessionWattHours] = ChargerView.sessionSample(counter, transaction)
        }
        guard let status = current?.status else { return reading }
        (reading.plug, reading.charging) = ChargerView.states(status, isBusy: transaction != nil)
        if whole?.status == .faulted { reading.charging = .fault }
        return reading
    }

    /// What a transaction has counted so far.
    static func sessionSample(_ counter: Sample, _ transaction: TransactionLedger.Transaction?) -> Sample? {
        guard let start = transaction?.meterStart, counter.value >= start else { return nil }
        return Sample(counter.value - start, at: counter.at)
    }

    private func counts(_ quantity: Quantity, _ sample: Sample, _ staleSeconds: Double, _ now: Date) -> Bool {
        switch quantity {
        // A counter and a battery keep their value; its time says how old it is.
        case .importWattHours, .exportWattHours, .stateOfChargePercent: return true
        case .limitAmps: return now.timeIntervalSince(sample.at) <= staleSeconds
        default:
            guard now.timeIntervalSince(sample.at) <= staleSeconds else { return false }
            // What flowed before charging stopped does not flow any more, and nobody has measured what does.
            guard let statusSince, current?.status != .charging else { return true }
            return sample.at >= statusSince
        }
    }

    /// Plug and charging state of a status (OCPP 1.6, section 4.9).
    /// - Parameter isBusy: whether a transaction goes on.
    static func states(_ status: StatusNotification.Status, isBusy: Bool) -> (PlugState?, ChargingState?) {
        switch status {
        case .available, .reserved: (.unplugged, .idle)
        case .preparing, .finishing, .suspendedByCharger: (.plugged, .idle)
        case .suspendedByVehicle: (.plugged, .waiting)
        case .charging: (.plugged, .charging)
        case .unavailable: (isBusy ? .plugged : .unplugged, .idle)
        // A charger with a fault does not see whether a car is there.
        case .faulted: (isBusy ? .plugged : nil, .fault)
        }
    }
}
