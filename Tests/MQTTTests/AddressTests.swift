import Testing

@testable import MQTT

@Suite struct AddressTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func leavesANumberAsItIs(address: String) throws {
        #expect(try Addresses.resolve(address) == [address])
    }

    @Test func findsEachAddressOnce() throws {
        let addresses = try Addresses.resolve("localhost")
        #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
        #expect(Set(addresses).count == addresses.count)
    }

    @Test func saysWhichNameIsUnknown() {
        #expect {
            try Addresses.resolve("no-such-host.invalid")
        } throws: { error in
            if case .connectionLost(let text)? = error as? MQTTError {
                text.hasPrefix("no-such-host.invalid: ")
            } else {
                false
            }
        }
    }
}
