import HubKit
import OCPP
import OCPPDriver
import TestSupport
import Testing

/// What the driver refuses, and says how to mend.
@Suite struct CheckTests {
    private let driver = OCPPDriver(central: CentralSystem())

    private func faults(_ change: (inout DeviceConfiguration) -> Void) -> [DeviceFault] {
        var configuration = Site.configuration()
        change(&configuration)
        return driver.check(configuration, in: .forTests())
    }

    @Test func aGoodConfigurationHasNoFault() {
        #expect(faults { _ in }.isEmpty)
    }

    @Test(arguments: [
        ("connection", DeviceConnection.none), ("connection", .modbusTCP(host: "192.0.2.7", port: nil, unit: nil)),
        ("connection.ocpp", .ocpp(OCPPConnection(chargePoint: ""))),
        ("connection.ocpp", .ocpp(OCPPConnection(chargePoint: "a/b"))),
        ("connection.ocpp", .ocpp(OCPPConnection(chargePoint: String(repeating: "x", count: 49)))),
    ])
    func aConnectionThatIsNoneOfOCPPIsNamed(_ key: String, _ connection: DeviceConnection) {
        let faults = faults { $0.connection = connection }
        #expect(faults.map(\.key) == [key] && faults.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test func whatDoesNotBelongIsNamed() {
        #expect(faults { $0.profile = "keba-p30" }.map(\.key) == ["profile"])
        #expect(faults { $0.profileOptions = ["x"] }.map(\.key) == ["options"])
        #expect(faults { $0.limits.maximumAmps = nil }.map(\.key) == ["limits.max_amps"])
        #expect(faults { $0.limits.maximumAmps = 4 }.map(\.key) == ["limits.max_amps"])
    }

    @Test func makingADeviceRefusesWhatTheCheckFinds() {
        var configuration = Site.configuration()
        configuration.limits.maximumAmps = nil
        #expect(throws: HubError.self) { try driver.makeDevice(configuration, in: .forTests()) }
    }

    @Test func theSecretIsNotInTheWordsOfAConnection() {
        let connection = OCPPConnection(chargePoint: "CP1", password: "s3cret")
        #expect(!"\(connection)".contains("s3cret") && !"\(DeviceConnection.ocpp(connection))".contains("s3cret"))
    }
}
