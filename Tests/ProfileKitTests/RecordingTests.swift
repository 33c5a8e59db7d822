import Foundation
import HubKit
import ProfileKit
import TestSupport
import Testing

/// What was said, as a file that can be given away.
@Suite struct RecordingTests {
    private static func head() throws -> DeviceRecording.Head {
        let profile = try #require(ProfileLibrary.shipped["eastron-sdm630"])
        var device = try DeviceConfiguration.forTests("meter", profile: "eastron-sdm630", port: 502, unit: 3)
        device.role = .grid
        return DeviceRecording.Head(
            device, profile, began: Date(timeIntervalSince1970: 1_700_000_000), program: "1.2.3")
    }

    private static func exchanges() -> [RecordedExchange] {
        var read = RecordedExchange(.init(unit: 3, .input, 52, count: 2, words: [0x4557, 0xA000]))
        read.after = 0.25
        var refused = RecordedExchange.Registers(unit: 3, .holding, 7, count: 1)
        refused.exception = 2
        var asked = RecordedExchange.Request("GET", "/status?id=0")
        (asked.status, asked.type, asked.answer) = (200, "application/json", "{\"w\":1}\n")
        return [
            read, RecordedExchange(refused), RecordedExchange(.init("{topic}/power", "17", isRetained: true)),
            RecordedExchange(asked),
        ]
    }

    @Test func aRecordingReadsAsItWasWritten() throws {
        let recording = DeviceRecording(head: try Self.head(), exchanges: Self.exchanges())
        #expect(recording.text.split(separator: "\n").count == 5)
        #expect(try DeviceRecording(text: recording.text) == recording)
        #expect(recording.head.unit == 3 && recording.head.role == "grid")
        #expect(recording.exchanges[0].registers?.values == [0x4557, 0xA000])
        #expect(!recording.text.contains("127.0.0.1"), "nobody needs to know where it stands")
    }

    @Test func aRecordingThatWasBrokenOffIsWholeUpToThere() throws {
        let recording = DeviceRecording(head: try Self.head(), exchanges: Self.exchanges())
        let broken = String(recording.text.dropLast(20))
        #expect(try DeviceRecording(text: broken).exchanges == Array(Self.exchanges().dropLast()))
    }

    @Test(
        arguments: [
            ("", 1, "no recording"), ("{}\n", 1, "no recording"), ("id: 1\n", 1, "no recording"),
            ("HEAD\nnothing\n", 2, "no exchange"), ("HEAD\n{\"after\":-1}\n", 2, "no exchange"),
            ("HEAD\n\n{\"after\":\"x\"}\n", 3, "no exchange"), ("NEWER\n", 1, "newer Offpeak"),
        ])
    func whatIsNoRecordingIsSaidWithItsLine(text: String, line: Int, what: String) throws {
        let head = DeviceRecording.line(try Self.head())
        let newer = head.replacing("\"offpeakRecording\":1", with: "\"offpeakRecording\":2")
        let text = text.replacing("HEAD", with: head).replacing("NEWER", with: newer)
        let fault = #expect(throws: DeviceRecording.Fault.self) { try DeviceRecording(text: text) }
        #expect(fault?.line == line && fault?.what.contains(what) == true, "\(String(describing: fault))")
    }

    // MARK: - Secrets

    /// What devices say of their owners, and what is left of it.
    private static let owners = [
        (#"{"wifi_ssid":"HomeNet","w":12.50}"#, #"{"wifi_ssid":"removed","w":12.50}"#),
        (#"{"Serial" : "12345678", "P": -3}"#, #"{"Serial" : "removed", "P": -3}"#),
        (#"{"lat":52.5163,"lng":13.3777,"id":0}"#, #"{"lat":0,"lng":0,"id":0}"#),
        (#"{"access_token":"a\"b","kwh":1}"#, #"{"access_token":"removed","kwh":1}"#),
        (#"{"mac":"AABBCCDDEEFF"}"#, #"{"mac":"removed"}"#),
        (#"{"id":"shellypro3em-aabbccddeeff"}"#, #"{"id":"shellypro3em-000000000000"}"#),
        (#"["AA:BB:CC:DD:EE:FF","192.168.1.105"]"#, #"["00:00:00:00:00:00","192.0.2.1"]"#),
        ("mail someone@example.org", "mail removed"),
        ("at tcp://meter.lan:502", "at tcp://removed:502"),
        ("GET /api?token=abc&id=1", "GET /api?token=removed&id=1"),
        ("openwb7/lp/1", "{topic}/lp/1"),
    ]

    @Test(arguments: owners) func whatIsPrivateIsTakenOut(said: String, left: String) {
        let cleaner = TrafficCleaner(topic: "openwb7", hiding: ["meter.lan", ""])
        #expect(cleaner.cleaned(said) == left)
        #expect(cleaner.cleaned(left) == left, "and taken out once")
    }

    @Test(
        arguments: [
            #"{"total_power_import_kwh":13779.338,"active_power_w":-543}"#, #"{"energy":123456789012,"key1":1e-7}"#,
            "1-0:1.8.1(013779.338*kWh)", "7100.278", #"{"pf":0.97,"temp":{"tC":46.6}}"#,
        ]) func whatIsMeasuredStays(said: String)
    {
        #expect(TrafficCleaner().cleaned(said) == said)
    }

    /// Every shipped profile that has topics or paths, with a name of the owner's in each parameter.
    private static let placed = ProfileLibrary.shipped.all.filter {
        if case .modbus = $0.link { false } else { !$0.parameters.isEmpty }
    }

    @Test(arguments: placed) func placesOfParametersAreMarksThatReadAgain(profile: DeviceProfile) throws {
        let given = Dictionary(
            uniqueKeysWithValues: profile.parameters.map {
                ($0.name, "\($0.name.hasSuffix("path") ? "/" : "")jane/\($0.name)")
            })
        var device = try DeviceConfiguration.forTests(profile.kind.rawValue, profile: profile.name, port: 1)
        var exchanges: [RecordedExchange] = []
        switch profile.link {
        case .modbus: break
        case .mqtt:
            device.connection = .mqtt(DeviceTopic("janes-box", parameters: given))
            exchanges = Self.places(profile.filled(for: device.connection)).map {
                RecordedExchange(RecordedExchange.Message($0, "1"))
            }
        case .http:
            device.connection = .http(DeviceAddress("http://192.0.2.7", parameters: given))
            exchanges = Self.places(profile.filled(for: device.connection)).map {
                RecordedExchange(RecordedExchange.Request("GET", $0))
            }
        }
        let cleaner = TrafficCleaner(of: device, profile)
        let head = DeviceRecording.Head(device, profile, began: .distantPast, program: "1")
        let recording = DeviceRecording(head: head, exchanges: exchanges.map { cleaner.cleaned($0) })
        let said = recording.exchanges.map { $0.message?.topic ?? $0.request?.path ?? "" }
        #expect(!said.isEmpty && said.allSatisfy { !$0.contains("jane") }, "\(said)")
        #expect(cleaner.cleaned(recording.text) == recording.text, "taken out once")
        // Whoever replays it finds each place where the profile then looks.
        let named = recording.named("other")
        let again = named.exchanges.map { $0.message?.topic ?? $0.request?.path ?? "" }
        let filled = profile.filled(topic: TrafficCleaner.topicMark, parameters: named.head.parameters ?? [:])
        #expect(again == Self.places(filled))
        #expect(again.allSatisfy { $0.replacing(TrafficCleaner.topicMark, with: "").contains("{") == false })
    }

    /// Where values come from.
    private static func places(_ profile: DeviceProfile) -> [String] {
        switch profile.link {
        case .modbus: []
        case .mqtt(let topics): topics.messages.map(\.topic)
        case .http(let requests): requests.requests.map(\.path)
        }
    }

    /// What a relay's parameters are, what is said of it, and what is left of that.
    private static let relays: [(given: [String: String], said: String, left: String)] = [
        (
            ["rod_1_command_topic": "a/rod/set", "rod_1_state_topic": "a/rod"], "a/rod/set at a/rod",
            "{rod_1_command_topic} at {rod_1_state_topic}"
        ),
        (
            ["rod_1_command_topic": "plug7", "rod_1_state_topic": "plug7"], "plug7, plug70",
            "{rod_1_command_topic}, plug70"
        ),
        // What the profile says itself has no secret in it, and could not be read without it.
        (["rod_1_command_topic": "stage", "rod_1_state_topic": "rod_1"], "stage of rod_1", "stage of rod_1"),
        (["rod_1_state_topic": "12345", "on": "closed"], "12345 closed", "12345 closed"),
    ]

    @Test(arguments: relays) func namesOfParametersAreTakenOutOfTexts(
        given: [String: String], said: String, left: String
    ) throws {
        var device = try DeviceConfiguration.forTests("hvac", profile: "heating-rods-mqtt", port: 1)
        device.connection = .mqtt(DeviceTopic(nil, parameters: given))
        let cleaner = TrafficCleaner(of: device, ProfileLibrary.shipped["heating-rods-mqtt"])
        #expect(cleaner.cleaned(said) == left)
        #expect(cleaner.cleaned(left) == left)
    }

    @Test func nothingOfALoginIsLeft() throws {
        var address = DeviceAddress("https://user-unknown.example:8443/box")
        (address.user, address.password) = ("somebody", "s3cret-word")
        var device = try DeviceConfiguration.forTests("meter", profile: "homewizard", port: 1)
        device.connection = .http(address)
        let cleaner = TrafficCleaner(of: device, ProfileLibrary.shipped["homewizard"])
        var request = RecordedExchange.Request("GET", "/x")
        request.failure = "user-unknown.example did not take somebody's s3cret-word"
        let cleaned = cleaner.cleaned(RecordedExchange(request)).request?.failure
        #expect(cleaned?.contains("somebody") == false && cleaned?.contains("s3cret") == false, "\(cleaned as Any)")
    }
}
