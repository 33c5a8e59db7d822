import Storage

/// Submissions that wait for the one transaction under way; state of the actor that owns it.
///
/// The first caller that finds nobody at work leads: it takes along all that wait, in their order, stores them in one
/// transaction and then hands the lead to the next. So a single submission waits for nobody, and many at once share one
/// wait for the disk.
struct SubmissionQueue {
    /// A submission's part of a transaction.
    typealias Work = Judgement<SubmissionMemory>
    /// What came of it.
    typealias Outcome = Result<[StoredEvent], any Error>

    /// What a caller that waited is told.
    enum Word: Sendable {
        case done(Outcome)
        /// The caller leads now.
        case lead
    }

    /// Submissions of one transaction at most; it bounds how long the first of them waits for the others.
    static let longestGroup = 64

    private struct Waiting {
        var work: Work
        var continuation: CheckedContinuation<Word, Never>
    }

    private var waiting: [Waiting] = []
    private var isLed = false

    /// How many wait.
    var count: Int { waiting.count }

    /// Takes the lead where nobody has it.
    /// - Returns: whether the caller leads; else it waits with `wait(_:_:)`.
    mutating func lead() -> Bool {
        defer { isLed = true }
        return !isLed
    }

    /// Puts a submission at the end of the queue.
    mutating func wait(_ work: @escaping Work, _ continuation: CheckedContinuation<Word, Never>) {
        waiting.append(Waiting(work: work, continuation: continuation))
    }

    /// Takes those that wait into the leader's transaction.
    mutating func takeFollowers() -> [(work: Work, continuation: CheckedContinuation<Word, Never>)] {
        let taken = waiting.prefix(Self.longestGroup - 1).map { ($0.work, $0.continuation) }
        waiting.removeFirst(taken.count)
        return taken
    }

    /// Hands the lead to the next, where one waits.
    mutating func pass() {
        guard !waiting.isEmpty else {
            isLed = false
            return
        }
        waiting.removeFirst().continuation.resume(returning: .lead)
    }
}
