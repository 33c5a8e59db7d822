import CCurl

/// Dates as they stand in header fields.
enum HTTPDate {
    /// Seconds since 1970 of any of the forms that HTTP knows; nil for anything else.
    static func seconds(_ text: String) -> Int? {
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : seconds
    }
}
