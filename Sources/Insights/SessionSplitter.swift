package import Foundation

/// Turns the events of one device into stretches between consecutive events, session by session.
///
/// A device has one session at a time: the begin of a later session cuts the earlier. A session's begin is its first
/// event, also where that is not a `begin`. The counter of that first event is the session's baseline.
///
/// ## Memory
/// One sample for each session that has not ended, and the samples of one moment.
package struct SessionSplitter: Sendable {
    private enum Progress: Sendable {
        /// The device's session: its last event.
        case running(LoadSample)
        /// A later session began at `at`, and this one's next event, which says how much flowed until then, is not known yet.
        case cut(LoadSample, at: Instant)
        /// A later session began before its last event; what else comes of it does not count.
        case over
        /// It ended by itself.
        case ended
    }

    private struct Key: Hashable {
        var session: UUID
        var state: LoadSample.State
    }

    private var sessions: [UUID: Progress] = [:]
    private var moment: [Key: LoadSample] = [:]
    private var momentAt: Instant?

    /// Makes a splitter that has seen nothing.
    package init() {}

    /// The stretches of events in any order; repeats of a session, time and state count once, the last accepted wins.
    package static func stretches(of samples: some Sequence<LoadSample>) -> [Stretch] {
        var splitter = SessionSplitter()
        var stretches: [Stretch] = []
        for sample in samples.sorted(by: { $0.at < $1.at }) { stretches += splitter.add(sample) }
        return stretches + splitter.finish()
    }

    /// Takes in the next event by time.
    /// - Parameter sample: not before the one added last.
    /// - Returns: the stretches that are now complete.
    package mutating func add(_ sample: LoadSample) -> [Stretch] {
        let finished = sample.at == momentAt ? [] : finish()
        momentAt = sample.at
        let key = Key(session: sample.session, state: sample.state)
        if let other = moment[key], other.sequence > sample.sequence { return finished }
        moment[key] = sample
        return finished
    }

    /// Closes the moment of the event added last; more may follow.
    /// - Returns: the stretches that are now complete.
    package mutating func finish() -> [Stretch] {
        // Sessions that go on before those that begin: an end at the moment of the next begin is not cut.
        let samples = moment.values.sorted { first, second in
            let isNew = (sessions[first.session] == nil, sessions[second.session] == nil)
            if isNew.0 != isNew.1 { return !isNew.0 }
            if first.session != second.session { return first.session.uuidString < second.session.uuidString }
            return first.state < second.state
        }
        moment.removeAll(keepingCapacity: true)
        return samples.compactMap { follow($0) }
    }

    /// Sessions whose next event is still needed: the one that runs, and those cut since their last event.
    package var openSessions: [UUID] {
        sessions.compactMap { id, progress in
            switch progress {
            case .running, .cut: id
            case .over, .ended: nil
            }
        }
    }

    private mutating func follow(_ sample: LoadSample) -> Stretch? {
        switch sessions[sample.session] {
        case nil:
            begin(sample)
            return nil
        case .running(let last):
            sessions[sample.session] = sample.state == .end ? .ended : .running(sample)
            return Stretch(from: last, to: sample)
        case .cut(let last, let cut):
            // Its end is the last that comes of it.
            sessions[sample.session] = sample.state == .end ? nil : .over
            return Stretch(from: last, to: sample, cut: cut)
        case .over:
            if sample.state == .end { sessions[sample.session] = nil }
            return nil
        case .ended:
            return nil
        }
    }

    private mutating func begin(_ sample: LoadSample) {
        for (id, progress) in sessions {
            switch progress {
            case .running(let last): sessions[id] = .cut(last, at: sample.at)
            case .ended: sessions[id] = nil
            case .cut, .over: break
            }
        }
        sessions[sample.session] = sample.state == .end ? .ended : .running(sample)
    }
}
