import EnergyKit
import Foundation
import TestSupport
import Testing

/// How a program finds its hub.
@Suite struct AddressTests {
    @Test(
        arguments: [
            ("http://127.0.0.1:8484", "http://127.0.0.1:8484", nil),
            ("https://hub.example/", "https://hub.example", nil),
            ("https://hub.example/offpeak//", "https://hub.example/offpeak", nil),
            ("http://[::1]:80", "http://[::1]:80", nil), ("unix:/run/a.sock", "http://localhost", "/run/a.sock"),
            ("unix:///run/a.sock", "http://localhost", "/run/a.sock"),
        ] as [(String, String, String?)])
    func readsAddresses(text: String, base: String, socket: String?) throws {
        let address = try HubAddress(text)
        #expect(address.base == base)
        #expect(address.socket == socket)
    }

    @Test(arguments: [
        "", "hub", "hub:8484", "127.0.0.1:8484", "ftp://hub/", "http://", "unix:", "unix:relative", "unix://host",
        "unix:/" + String(repeating: "x", count: 107), "http://me:SECRET@hub/", "http://hub/?token=SECRET",
        "http://hub/#token=SECRET", "mqtt://hub",
    ])
    func refusesWhatIsNone(text: String) {
        let failure = #expect(throws: EnergyKitFailure.self) { try HubAddress(text) }
        #expect(failure?.error == .serviceUnavailable)
        #expect(failure?.detail.contains("http://HOST:PORT") == true)
    }

    @Test func theUsualPlaceIsTheSocketIfThereIsOne() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("hub.sock").path
        #expect(HubAddress.usual(socket: path).base == "http://127.0.0.1:8484")
        #expect(HubAddress.usual(socket: path).socket == nil)
        try folder.write("", to: "hub.sock")
        #expect(HubAddress.usual(socket: path).socket == path)
    }

    @Test func readsTheEnvironment() throws {
        let none = try ClientSettings(environment: [:])
        #expect(none.address == nil)
        #expect(none.token == .none)
        let empty = try ClientSettings(environment: ["OFFPEAK_URL": "", "OFFPEAK_TOKEN": ""])
        #expect(empty.address == nil)
        #expect(empty.token == .none)
        let all = try ClientSettings(environment: [
            "OFFPEAK_URL": "unix:/run/a.sock", "OFFPEAK_TOKEN": "opk_a", "OFFPEAK_TOKEN_FILE": "/etc/token",
            "OFFPEAK_CLIENT": "my app/ü\r\n",
        ])
        #expect(all.address?.socket == "/run/a.sock")
        #expect(all.token == .text("opk_a"))
        #expect(all.name == "my-app------")
        #expect(try ClientSettings(environment: ["OFFPEAK_TOKEN_FILE": "/etc/token"]).token == .file("/etc/token"))
        let failure = #expect(throws: EnergyKitFailure.self) {
            try ClientSettings(environment: ["OFFPEAK_URL": "nonsense"])
        }
        #expect(failure?.detail.contains("OFFPEAK_URL") == true)
    }
}
