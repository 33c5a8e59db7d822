import Foundation
import OCPP
import Testing

/// Transactions that begin, end, repeat, get lost and come back.
@Suite struct TransactionLedgerTests {
    private let now = Date(timeIntervalSince1970: 1_780_000_000)

    private func start(_ meter: Double, at seconds: Double, connector: Int = 1) throws -> StartTransaction {
        let text = Date(timeIntervalSince1970: 1_780_000_000 + seconds).formatted(.iso8601)
        let payload: Payload = [
            "connectorId": .number(Double(connector)), "idTag": "A", "meterStart": .number(meter),
            "timestamp": .text(text),
        ]
        guard case .start(let start) = try ChargePointRequest("StartTransaction", payload) else {
            throw CallError(.genericError, "no start")
        }
        return start
    }

    @Test func aStartThatIsRepeatedIsTheSameTransaction() throws {
        var ledger = TransactionLedger()
        let id = ledger.start(try start(100, at: 0), at: now)
        let repeated = ledger.start(try start(100, at: 0), at: now.addingTimeInterval(90))
        #expect(repeated == id && ledger.open.count == 1 && ledger.past.isEmpty)
        // Also when its stop has come already.
        let isKnown = ledger.stop(id)
        let late = ledger.start(try start(100, at: 0), at: now)
        #expect(isKnown && late == id && ledger.open.isEmpty)
    }

    @Test func numbersAreNeverUsedTwiceEvenWithoutAStore() throws {
        var ledger = TransactionLedger()
        let first = ledger.start(try start(100, at: 0), at: now)
        let second = ledger.start(try start(200, at: 60), at: now)
        #expect(second > first && first > 0 && second <= Int(Int32.max))
        var fresh = TransactionLedger()
        let later = fresh.start(try start(300, at: 9), at: now.addingTimeInterval(3600))
        #expect(later > second)
    }

    @Test func aStartThatComesLateDoesNotEndTheOneAfterIt() throws {
        var ledger = TransactionLedger()
        let running = ledger.start(try start(500, at: 600), at: now)
        let late = ledger.start(try start(100, at: 0), at: now)
        #expect(late != running)
        #expect(ledger.transaction(on: 1)?.id == running)
        let isKnown = ledger.stop(late)
        #expect(isKnown && ledger.transaction(on: 1)?.id == running)
    }

    @Test func whatIsNotKnownIsAdoptedAndWhatHasEndedIsNot() throws {
        var ledger = TransactionLedger()
        let changed = ledger.adopt(77, on: 1, at: now)
        #expect(changed && ledger.transaction(on: 1)?.meterStart == nil)
        let again = ledger.adopt(77, on: 1, at: now)
        #expect(!again)
        let isKnown = ledger.stop(77)
        #expect(isKnown)
        let late = ledger.adopt(77, on: 1, at: now)
        #expect(!late && ledger.open.isEmpty)
    }

    @Test(arguments: [0, -1]) func aNumberThatMeansNoneIsNotAdopted(_ id: Int) {
        var ledger = TransactionLedger()
        let changed = ledger.adopt(id, on: 1, at: now)
        #expect(!changed && ledger.open.isEmpty)
    }

    @Test func whatWasLostComesBackWithItsCounter() throws {
        var ledger = TransactionLedger()
        let id = ledger.start(try start(100, at: 0), at: now)
        ledger.lose(on: 1)
        #expect(ledger.open.isEmpty)
        let isBack = ledger.adopt(id, on: 1, at: now)
        #expect(isBack && ledger.transaction(on: 1)?.meterStart == 100)
    }

    @Test func aStatusFromBeforeTheStartLosesNothing() throws {
        var ledger = TransactionLedger()
        let id = ledger.start(try start(100, at: 10), at: now)
        ledger.lose(on: 1, before: now.addingTimeInterval(5))
        #expect(ledger.transaction(on: 1)?.id == id)
        ledger.lose(on: 1, before: now.addingTimeInterval(15))
        #expect(ledger.open.isEmpty)
    }

    @Test func connectorsDoNotDisturbEachOther() throws {
        var ledger = TransactionLedger()
        let one = ledger.start(try start(100, at: 0), at: now)
        let two = ledger.start(try start(100, at: 0, connector: 2), at: now)
        #expect(one != two && ledger.open.count == 2)
        ledger.lose(on: 2)
        #expect(ledger.transaction(on: 1)?.id == one)
    }

    @Test func aStopOfAStrangerChangesNothing() throws {
        var ledger = TransactionLedger()
        let id = ledger.start(try start(100, at: 0), at: now)
        let isKnown = ledger.stop(4242)
        #expect(!isKnown && ledger.transaction(on: 1)?.id == id)
    }

    @Test func theMemoryIsBoundedAndSurvivesItsJSON() throws {
        var ledger = TransactionLedger()
        for index in 0..<200 { _ = ledger.start(try start(Double(index), at: Double(index)), at: now) }
        #expect(ledger.past.count == 16 && ledger.open.count == 1)
        let copy = try JSONDecoder().decode(TransactionLedger.self, from: JSONEncoder().encode(ledger))
        #expect(copy == ledger)
    }
}
