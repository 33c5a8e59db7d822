import Foundation
import HubKit
import Storage

/// Where a source keeps its memory and figures over a restart.
struct SourceShelf: Sendable {
    let name: String
    let store: HubStore
    let log: HubLog

    /// What was kept under the same settings; of other settings only the count of requests is used.
    func load(fingerprint: String) async -> (memory: SourceMemory, kept: KeptSeries) {
        var memory = SourceMemory(fingerprint: fingerprint)
        do {
            guard let stored = try await store.source(named: name) else { return (memory, KeptSeries()) }
            let before = try JSONDecoder().decode(SourceMemory.self, from: Data(stored.state.utf8))
            memory.ledger = before.ledger
            guard before.fingerprint == fingerprint else {
                // Else they would be taken for those of the new settings as soon as the new memory is written beside them.
                if stored.series != nil { try await store.forgetSeries(ofSource: name) }
                return (memory, KeptSeries())
            }
            memory = before
            guard let text = stored.series else { return (memory, KeptSeries()) }
            return (memory, try JSONDecoder().decode(KeptSeries.self, from: Data(text.utf8)))
        } catch {
            log.warning(
                "what was kept of the source \(name) can't be read and is fetched anew: \(plainWords(of: error))")
            memory.validators = [:]
            return (memory, KeptSeries())
        }
    }

    /// Keeps the memory, and the figures where they changed.
    func keep(_ memory: SourceMemory, _ kept: KeptSeries?) async {
        do {
            let state = String(decoding: try JSONEncoder().encode(memory), as: UTF8.self)
            let series = try kept.flatMap { $0.series == nil ? nil : try JSONEncoder().encode($0) }
            try await store.keep(source: name, state: state, series: series.map { String(decoding: $0, as: UTF8.self) })
        } catch {
            log.warning("the source \(name) could not be written down: \(plainWords(of: error))")
        }
    }
}
