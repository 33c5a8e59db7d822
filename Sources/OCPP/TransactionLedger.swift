package import Foundation

/// The transactions of one charger: pure values, kept as JSON.
///
/// A transaction ends when the charger says so. One that must have ended without a word, because a car was unplugged or
/// another transaction began, is lost: its stop may come late, and its meter values bring it back.
package struct TransactionLedger: Sendable, Equatable, Codable {
    /// One transaction.
    package struct Transaction: Sendable, Equatable, Codable {
        /// Its number.
        package var id: Int
        /// The connector.
        package var connector: Int
        /// The card, where it is known.
        package var idTag: String?
        /// The counter at its start in watt-hours, where it is known.
        package var meterStart: Double?
        /// When it began: by the charger's clock where it said so.
        package var began: Date
        /// Whether the charger has said that it ended.
        package var isEnded = false
    }

    /// Those that go on, one for each connector at most.
    package private(set) var open: [Transaction] = []
    /// Those that went before, the latest last.
    package private(set) var past: [Transaction] = []
    private var lastID = 0

    /// How many past transactions are remembered: chargers repeat what was not answered.
    static let memory = 16

    /// A ledger without transactions.
    package init() {}

    /// The transaction that goes on at a connector.
    package func transaction(on connector: Int) -> Transaction? { open.first { $0.connector == connector } }

    /// Notes a start.
    /// - Returns: the transaction's number: the same as before where the charger repeats itself.
    package mutating func start(_ start: StartTransaction, at now: Date) -> Int {
        let began = start.at ?? now
        if let known = (open + past).last(where: { isRepeat(start, of: $0) }) { return known.id }
        lastID = max(lastID + 1, TransactionLedger.fresh(at: now))
        let new = Transaction(
            id: lastID, connector: start.connector, idTag: start.idTag, meterStart: start.meterStart, began: began)
        if let running = transaction(on: start.connector), running.began > began {
            // It was sent late: what began after it goes on.
            remember(new)
        } else {
            lose(on: start.connector)
            open.append(new)
        }
        return new.id
    }

    /// Notes a stop.
    /// - Returns: whether the transaction was known.
    package mutating func stop(_ id: Int) -> Bool {
        if let index = open.firstIndex(where: { $0.id == id }) {
            var ended = open.remove(at: index)
            ended.isEnded = true
            remember(ended)
            return true
        }
        guard let index = past.firstIndex(where: { $0.id == id }) else { return false }
        past[index].isEnded = true
        return true
    }

    /// Notes that meter values name a transaction: one that is not known, or was lost, goes on (field case D-10).
    /// - Returns: whether that changed anything.
    package mutating func adopt(_ id: Int, on connector: Int, at now: Date) -> Bool {
        // Several chargers write 0 or -1 where there is no transaction.
        guard id > 0, transaction(on: connector)?.id != id else { return false }
        let known = past.first { $0.id == id }
        // What was sent before the stop and came after it changes nothing.
        guard known?.isEnded != true else { return false }
        lose(on: connector)
        past.removeAll { $0.id == id }
        open.append(known ?? Transaction(id: id, connector: connector, began: now))
        lastID = max(lastID, id)
        return true
    }

    /// Notes that nothing can be going on at a connector any more.
    /// - Parameter moment: when the charger said so; a transaction that began later goes on.
    /// - Returns: whether that changed anything.
    @discardableResult
    package mutating func lose(on connector: Int, before moment: Date = .distantFuture) -> Bool {
        guard let index = open.firstIndex(where: { $0.connector == connector && $0.began <= moment }) else {
            return false
        }
        remember(open.remove(at: index))
        return true
    }

    private func isRepeat(_ start: StartTransaction, of known: Transaction) -> Bool {
        // Without a time of its own, two starts at one count may be two cars that took nothing.
        guard let at = start.at else { return false }
        return known.connector == start.connector && known.idTag == start.idTag
            && known.meterStart == start.meterStart && known.began == at
    }

    private mutating func remember(_ transaction: Transaction) {
        past.append(transaction)
        past.removeFirst(max(0, past.count - TransactionLedger.memory))
    }

    /// A number above all that were given before, also where the store was lost: the seconds since 2020.
    private static func fresh(at now: Date) -> Int {
        let seconds = now.timeIntervalSince1970 - 1_577_836_800
        return (1...2_000_000_000).contains(seconds) ? Int(seconds) : 1
    }
}
