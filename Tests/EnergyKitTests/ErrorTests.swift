import EnergyKit
import Foundation
import Testing

@Suite struct ErrorTests {
    static let all: [EnergyKitError] = [
        .guidanceUnavailable, .inProgress, .invalidLoadEvent, .locationServicesDenied, .permissionDenied,
        .rateLimitExceeded, .serviceUnavailable, .unsupportedRegion, .venueUnavailable,
    ]

    @Test(arguments: all) func everyErrorHasAllFourTexts(_ error: EnergyKitError) throws {
        let texts = [error.errorDescription, error.failureReason, error.recoverySuggestion, error.helpAnchor]
        for text in texts {
            #expect(try #require(text).isEmpty == false)
        }
        #expect(error.localizedDescription == error.errorDescription)
    }

    @Test func textsDiffer() {
        #expect(Set(Self.all.map(\.errorDescription)).count == 9)
        #expect(Set(Self.all.map(\.recoverySuggestion)).count == 9)
    }

    @Test(arguments: all) func codeIsTheNameOfTheCase(_ error: EnergyKitError) {
        #expect(error.code == "\(error)" && EnergyKitError(code: error.code) == error)
    }

    @Test func unknownCodeIsNoError() {
        #expect(EnergyKitError(code: "venueunavailable") == nil)
    }

    @Test func failureKeepsItsDetails() {
        let failure = EnergyKitFailure(.rateLimitExceeded, detail: "60 a minute", retryAfter: .seconds(4))
        #expect(EnergyKitFailure(wrapping: failure) == failure && failure.retryAfter == .seconds(4))
        #expect(failure.localizedDescription.hasSuffix("60 a minute") && failure.recoverySuggestion != nil)
        #expect(EnergyKitFailure(wrapping: EnergyKitError.inProgress).error == .inProgress)
        #expect(EnergyKitFailure(wrapping: URLError(.timedOut)).error == .serviceUnavailable)
    }

    @Test func refusedEventIsNamedInWords() {
        let event = InvalidLoadEvent(index: 2, eventID: UUID(), rule: .stage, detail: "101")
        let failure = EnergyKitFailure(event)
        #expect(failure.error == .invalidLoadEvent && failure.invalidEvent == event)
        #expect(failure.detail == "event 2 breaks the rule stage: the stage is 0 to 100; found: 101")
        #expect(InvalidLoadEvent(rule: .venue).description.hasPrefix("the batch breaks the rule venue: "))
    }

    @Test func rulesHaveTextsOfTheirOwn() {
        #expect(Set(LoadEventRule.allCases.map(\.text)).count == LoadEventRule.allCases.count)
    }
}
