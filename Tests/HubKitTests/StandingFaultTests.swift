import EnergyKit
import Foundation
import HubKit
import Testing

/// A fault is told once, recalled each hour, and its end is told once.
@Suite struct StandingFaultTests {
    private let start = Date(timeIntervalSince1970: 1_780_000_000)

    @Test func aFaultIsToldOnceAndItsEndOnce() {
        var fault = StandingFault()
        #expect(fault.ended("well", at: start) == nil)
        #expect(fault.failed("the disk is full", at: start) == "the disk is full")
        for second in 1..<3600 { #expect(fault.failed("the disk is full", at: start + Double(second)) == nil) }
        #expect(fault.failed("the disk is full", at: start + 3600) == "the disk is full (for 60 min, 3601 times)")
        #expect(fault.failed("the disk is full", at: start + 3601) == nil)
        #expect(fault.ended("the disk has room", at: start + 7200) == "the disk has room (after 2 h, 3602 failures)")
        #expect(fault.ended("the disk has room", at: start + 7201) == nil)
        #expect(fault.failed("the disk is full", at: start + 7202) == "the disk is full")
    }

    @Test func reasonsThatTakeTurnsAreToldOnceEach() {
        var fault = StandingFault()
        let lines = (0..<100).compactMap { fault.failed("reason \($0 % 2)", at: start + Double($0)) }
        #expect(lines == ["reason 0", "reason 1"])
    }

    @Test func reasonsWithoutEndAreToldAFewTimesOnly() {
        var fault = StandingFault()
        #expect((0..<100).compactMap { fault.failed("reason \($0)", at: start + Double($0)) }.count == 4)
    }

    @Test func aClockThatWasSetBackHoldsNoReminderUp() {
        var fault = StandingFault()
        _ = fault.failed("away", at: start)
        #expect(fault.failed("away", at: start - 86_400) != nil)
        #expect(fault.failed("away", at: start - 86_400 + 1) == nil)
    }

    @Test(arguments: [
        (3.748, "4 s"), (119.0, "119 s"), (180, "3 min"), (7200, "2 h"), (7500, "2 h 5 min"), (864_000, "10 days"),
        (-5, "5 s"), (.nan, "an unknown time"),
    ])
    func durationsAreSaidAsPeopleSayThem(seconds: Double, text: String) {
        #expect(PlainDuration.text(seconds: seconds) == text)
    }
}

/// Whatever error reaches a log is words.
@Suite struct PlainWordsTests {
    private enum Bare: Error { case nothing, some(path: [String: Int]) }
    private struct Described: Error, CustomStringConvertible { let description = "the cable is loose; plug it in" }
    private struct Localized: LocalizedError { let errorDescription: String? = "the lamp is out" }
    private struct Record: Decodable { var kind: Int }

    @Test(
        arguments: [
            (HubError(.device, "it is off; switch it on"), "it is off; switch it on"),
            (Described(), "the cable is loose; plug it in"), (Localized(), "the lamp is out"),
            (POSIXError(.ENOSPC), "No space left on device"),
            (CocoaError(.fileWriteUnknown, userInfo: [NSUnderlyingErrorKey: POSIXError(.ENOTDIR)]), "Not a directory"),
            (CocoaError(.fileWriteUnknown), "it can't be written"),
            (CancellationError(), "it was stopped before it was done"),
            (EnergyKitFailure(.serviceUnavailable, detail: "the disk is full"), "the disk is full"),
            (Bare.nothing, "an unexpected fault (Bare.nothing)"),
            (Bare.some(path: ["a": 1]), "an unexpected fault (Bare.some)"),
        ] as [(any Error, String)])
    func everyErrorHasWords(error: any Error, text: String) {
        #expect(plainWords(of: error) == text)
    }

    @Test(arguments: [
        (#"{"kind": "x"}"#, "kind"), (#"{}"#, "'kind' is missing"), (#"{"kind": null}"#, "kind"),
    ])
    func aDecodingErrorNamesThePlace(json: String, word: String) {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Record.self, from: Data(json.utf8))
        }
        let text = error.map { plainWords(of: $0) } ?? ""
        #expect(text.contains(word) && !text.contains("Context(") && !text.contains("CodingKeys("), "\(text)")
    }

    @Test func aFaultOfTheFileSystemIsSaidByTheSystem() {
        let error = #expect(throws: (any Error).self) { try Data(contentsOf: URL(fileURLWithPath: "/nonexistent/x")) }
        let text = error.map { plainWords(of: $0) } ?? ""
        #expect(!text.isEmpty && !text.contains("Error Domain") && !text.contains("Code="), "\(text)")
    }

    @Test func anErrorOfEnergyKitHasItsSentence() {
        #expect(plainWords(of: EnergyKitError.venueUnavailable) == EnergyKitError.venueUnavailable.errorDescription)
    }
}
