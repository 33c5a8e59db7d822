/// Why a request is refused before any handler sees it.
struct RequestRefusal: Error, Equatable {
    /// The status to answer.
    let status: Int
    /// What is wrong and how to mend it.
    let detail: String

    init(_ status: Int, _ detail: String) {
        self.status = status
        self.detail = detail
    }
}

extension RequestRefusal {
    /// A body that is longer than what is taken.
    static func body(limit: Int) -> RequestRefusal {
        RequestRefusal(413, "the body is longer than \(limit) bytes; send it in smaller parts")
    }
}
