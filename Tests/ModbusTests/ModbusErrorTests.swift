import Modbus
import Testing

@Suite struct ModbusErrorTests {
    private static let place = ModbusPlace(
        endpoint: "tcp://192.0.2.7:502", unit: 3, function: 4, address: 100, count: 4)

    @Test(
        "a message says what failed, where, and what to do",
        arguments: [
            ModbusError.timeout(place), .disconnected(place),
            .exception(ModbusException(code: 2, place: place)),
        ])
    func messageNamesThePlace(error: ModbusError) {
        let text = "\(error)"
        #expect(text.contains("tcp://192.0.2.7:502"))
        #expect(text.contains("reading input registers 100 to 103 of unit 3"))
        #expect(text.contains(":") && text.count > 80)
    }

    @Test func transientErrorsAreThoseThatMayPassByThemselves() {
        let passing: [ModbusError] = [
            .cannotConnect(endpoint: "", reason: ""), .timeout(Self.place), .disconnected(Self.place),
            .badReply(reason: ""), .exception(.deviceBusy), .exception(.gatewayTargetFailed),
            .exception(.gatewayPathUnavailable), .exception(.acknowledge), .exception(.deviceFailure),
        ]
        let lasting: [ModbusError] = [
            .exception(.illegalFunction), .exception(.illegalDataAddress), .exception(.illegalDataValue),
            .invalidRequest(reason: ""), .cancelled,
        ]
        #expect(passing.filter { !$0.isTransient } == [])
        #expect(lasting.filter { $0.isTransient } == [])
    }

    @Test func exceptionsAreEqualByTheirCode() {
        #expect(ModbusException(code: 2, place: Self.place) == .illegalDataAddress)
        #expect(ModbusException.illegalDataAddress != .illegalDataValue)
    }
}
