import Foundation
import OCPP
import Testing

/// What chargers tell, as typed values.
@Suite struct RequestTests {
    private func read(_ action: String, _ json: String) throws -> ChargePointRequest {
        try ChargePointRequest(action, try JSONDecoder().decode(Payload.self, from: Data(json.utf8)))
    }

    @Test(arguments: [
        ("StartTransaction", #"{"connectorId":1,"meterStart":5}"#, CallError.Code.occurenceConstraintViolation),
        ("StartTransaction", #"{"connectorId":"one","idTag":"A","meterStart":5}"#, .typeConstraintViolation),
        ("StartTransaction", #"{"connectorId":1.5,"idTag":"A","meterStart":5}"#, .propertyConstraintViolation),
        ("StartTransaction", #"{"connectorId":1,"idTag":{},"meterStart":5}"#, .typeConstraintViolation),
        ("StopTransaction", #"{"transactionId":99999999999,"meterStop":5}"#, .propertyConstraintViolation),
        ("StatusNotification", #"{"connectorId":1,"status":"Dancing"}"#, .propertyConstraintViolation),
        ("StatusNotification", #"{"connectorId":null,"status":"Available"}"#, .occurenceConstraintViolation),
        ("MeterValues", #"{"connectorId":1,"meterValue":{}}"#, .typeConstraintViolation),
        ("MeterValues", #"{"connectorId":1,"meterValue":[{"sampledValue":[{}]}]}"#, .occurenceConstraintViolation),
        ("Authorize", "{}", .occurenceConstraintViolation),
        ("NotifyReport", "{}", .notImplemented), ("", "{}", .notImplemented),
    ])
    func refusesWithTheRightCode(_ action: String, _ json: String, _ code: CallError.Code) {
        #expect(performing: { try read(action, json) }, throws: { ($0 as? CallError)?.code == code })
    }

    @Test func forgivesNumbersAsTextAndTimesWithoutAnOffset() throws {
        let request = try read(
            "StartTransaction",
            #"{"connectorId":"1","idTag":4711,"meterStart":"1200.5","timestamp":"2026-03-01T10:00:00"}"#)
        guard case .start(let start) = request else { Issue.record("\(request)"); return }
        #expect(start.connector == 1 && start.idTag == "4711" && start.meterStart == 1200.5)
        #expect(start.at == Date(timeIntervalSince1970: 1_772_359_200))
    }

    @Test func aTimeThatIsNoneIsUnknown() throws {
        let request = try read("StatusNotification", #"{"connectorId":1,"status":"charging","timestamp":"yesterday"}"#)
        guard case .status(let status) = request else { Issue.record("\(request)"); return }
        #expect(status.status == .charging && status.at == nil && status.fault == nil)
    }

    @Test func aFaultIsSaidWithAllThatIsKnownOfIt() throws {
        let request = try read(
            "StatusNotification",
            #"{"connectorId":1,"status":"Faulted","errorCode":"GroundFailure","info":"RCD","vendorErrorCode":"E7"}"#)
        guard case .status(let status) = request else { Issue.record("\(request)"); return }
        #expect(status.fault == "GroundFailure (E7, RCD)")
    }
}
