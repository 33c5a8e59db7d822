import EnergyKit
package import Foundation
import HubKit
import SQLite

/// The store inside the transaction of a submission: what is judged by here still holds when it is stored.
package struct SubmissionScope: ~Copyable {
    private let connection: Connection
    private let assumesNew: Bool

    init(_ connection: consuming Connection, assumesNew: Bool) {
        self.connection = connection
        self.assumesNew = assumesNew
    }

    /// The event with an identifier, for recognising repeats.
    package borrowing func event(_ id: UUID) throws -> StoredEvent? {
        if assumesNew { return nil }
        return try HubStore.row(ofEvent: id, connection).map { try HubStore.storedEvent($0) }
    }

    /// What is known of a token; nothing where it was never issued.
    package borrowing func issuedToken(_ token: UUID) throws -> IssuedToken? {
        try HubStore.issuedToken(token, connection)
    }

    /// Whether one of these fetched the guidance with this token.
    package borrowing func wasRequested(token: UUID, byAnyOf requesters: [String]) throws -> Bool {
        try HubStore.wasRequested(token, requesters, connection)
    }

    /// What the stored events of a session say; nothing where there are none.
    package borrowing func sessionFacts(_ id: UUID) throws -> SessionFacts? {
        try HubStore.sessionFacts(id, connection)
    }
}

/// Decides what of a submission is to be stored; throws where all of it is refused, and leaves the memory as it was then.
package typealias Judgement<Memory> = @Sendable (borrowing SubmissionScope, inout Memory) throws -> EventBatch

extension HubStore {
    /// Judges and stores several submissions in one transaction, so that they share one wait for the disk.
    ///
    /// Each stands or falls by itself; only a fault of the database fails them all, and then nothing is stored.
    /// - Parameters:
    ///   - judgements: one for each submission, in their order; a later one sees what an earlier one stored.
    ///   - memory: what the judge remembers from one submission to the next.
    ///   - sinks: the names of the sinks that are to get the events.
    /// - Returns: what is new of each submission, or why it was refused, and the memory after.
    package func accept<Memory: Sendable>(
        _ judgements: [Judgement<Memory>], memory: Memory, sinks: [String]
    ) async throws -> (results: [Result<[StoredEvent], any Error>], memory: Memory) {
        try await write { connection in
            var memory = memory
            let scope = SubmissionScope(connection.sharing(), assumesNew: false)
            var results: [Result<[StoredEvent], any Error>] = []
            for judge in judgements {
                if let new = try HubStore.storeAsNew(judge, &memory, sinks, connection) {
                    results.append(.success(new))
                    continue
                }
                let batch: EventBatch
                do {
                    batch = try judge(scope, &memory)
                } catch let error as SQLiteError {
                    throw error
                } catch {
                    results.append(.failure(error))
                    continue
                }
                results.append(.success(try HubStore.append(batch, sinks, connection)))
            }
            return (results, memory)
        }
    }

    /// Stores a submission as if none of its events were a repeat, which the table itself finds out, and much faster than
    /// a look for each.
    /// - Returns: nothing, and nothing is changed, where one is a repeat after all or the submission is refused.
    private static func storeAsNew<Memory>(
        _ judge: Judgement<Memory>, _ memory: inout Memory, _ sinks: [String], _ connection: borrowing Connection
    ) throws -> [StoredEvent]? {
        let before = memory
        if let batch = try? judge(SubmissionScope(connection.sharing(), assumesNew: true), &memory),
            let new = try append(batch, sinks, connection, onlyIfNew: true)
        {
            return new
        }
        memory = before
        return nil
    }
}
