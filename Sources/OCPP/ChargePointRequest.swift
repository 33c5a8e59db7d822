package import Foundation

/// What a charger tells or asks the hub.
package enum ChargePointRequest: Sendable, Equatable {
    /// It has started.
    case boot(BootNotification)
    /// It is there.
    case heartbeat
    /// What a connector does.
    case status(StatusNotification)
    /// Whether a card may charge.
    case authorize(idTag: String)
    /// A transaction begins.
    case start(StartTransaction)
    /// A transaction has ended.
    case stop(StopTransaction)
    /// What it measures.
    case meterValues(MeterValues)
    /// A vendor's own message.
    case data(vendor: String)
    /// How an update of its software, or an upload of its log, goes.
    case progress(String)

    /// Reads a call.
    /// - Throws: `CallError` that is to be answered.
    package init(_ action: String, _ payload: Payload) throws(CallError) {
        let reader = PayloadReader(payload)
        switch action {
        case "BootNotification": self = .boot(try BootNotification(reader))
        case "Heartbeat": self = .heartbeat
        case "StatusNotification": self = .status(try StatusNotification(reader))
        case "Authorize": self = .authorize(idTag: try reader.text("idTag"))
        case "StartTransaction": self = .start(try StartTransaction(reader))
        case "StopTransaction": self = .stop(try StopTransaction(reader))
        case "MeterValues": self = .meterValues(try MeterValues(reader))
        case "DataTransfer": self = .data(vendor: try reader.text("vendorId"))
        case "FirmwareStatusNotification", "DiagnosticsStatusNotification":
            self = .progress("\(action): \(try reader.text("status"))")
        default: throw CallError(.notImplemented, "'\(action.prefix(50))' is no call of OCPP 1.6 to a central system")
        }
    }
}

/// What a charger is.
package struct BootNotification: Sendable, Equatable {
    /// Who made it.
    package var vendor: String
    /// What they call it.
    package var model: String
    /// The version of its software.
    package var firmware: String?

    init(_ reader: PayloadReader) throws(CallError) {
        vendor = try reader.text("chargePointVendor")
        model = try reader.text("chargePointModel")
        firmware = try reader.optionalText("firmwareVersion")
    }
}

/// What a connector does.
package struct StatusNotification: Sendable, Equatable {
    /// The states of OCPP 1.6.
    package enum Status: String, Sendable, Codable, CaseIterable {
        case available = "Available"
        case preparing = "Preparing"
        case charging = "Charging"
        case suspendedByCharger = "SuspendedEVSE"
        case suspendedByVehicle = "SuspendedEV"
        case finishing = "Finishing"
        case reserved = "Reserved"
        case unavailable = "Unavailable"
        case faulted = "Faulted"
    }

    /// The connector; 0 is the charger as a whole.
    package var connector: Int
    /// What it does.
    package var status: Status
    /// What is wrong, where something is.
    package var fault: String?
    /// When, by the charger's clock.
    package var at: Date?

    init(_ reader: PayloadReader) throws(CallError) {
        connector = try reader.integer("connectorId")
        let name = try reader.text("status")
        guard let status = Status.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
            throw CallError(.propertyConstraintViolation, "'\(name.prefix(30))' is no status of OCPP 1.6")
        }
        self.status = status
        // The error code is mandatory; a status without it is understood all the same.
        let code = try reader.optionalText("errorCode") ?? "NoError"
        if code != "NoError" {
            let more = [try reader.optionalText("vendorErrorCode"), try reader.optionalText("info")]
            let words = more.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
            fault = String((words.isEmpty ? code : "\(code) (\(words))").prefix(200))
        }
        at = reader.time("timestamp")
    }
}

/// A transaction begins.
package struct StartTransaction: Sendable, Equatable {
    /// The connector.
    package var connector: Int
    /// The card, or what the hub gave in its place.
    package var idTag: String
    /// The counter in watt-hours.
    package var meterStart: Double
    /// When, by the charger's clock.
    package var at: Date?

    init(_ reader: PayloadReader) throws(CallError) {
        connector = try reader.integer("connectorId")
        idTag = try reader.text("idTag")
        meterStart = try reader.number("meterStart")
        at = reader.time("timestamp")
    }
}

/// A transaction has ended.
package struct StopTransaction: Sendable, Equatable {
    /// Which.
    package var transaction: Int
    /// The counter in watt-hours.
    package var meterStop: Double
    /// When, by the charger's clock.
    package var at: Date?
    /// Why.
    package var reason: String?

    init(_ reader: PayloadReader) throws(CallError) {
        transaction = try reader.integer("transactionId")
        meterStop = try reader.number("meterStop")
        at = reader.time("timestamp")
        reason = try reader.optionalText("reason")
    }
}
