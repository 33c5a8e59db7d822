/// The framing of a serial line as people write it: data bits, parity and stop bits, such as `8N1`.
public struct SerialFraming: Sendable, Equatable {
    /// What is sent to detect a spoilt character.
    public enum Parity: Character, Sendable {
        case none = "N"
        case even = "E"
        case odd = "O"
    }

    /// 7 or 8.
    public let dataBits: Int
    /// The parity bit.
    public let parity: Parity
    /// 1 or 2.
    public let stopBits: Int

    /// Reads a framing, or nothing when the text is none.
    public init?(_ text: String) {
        let letters = Array(text)
        guard letters.count == 3, let data = letters[0].wholeNumberValue, (7...8).contains(data),
            let parity = Parity(rawValue: letters[1]), let stop = letters[2].wholeNumberValue, (1...2).contains(stop)
        else { return nil }
        dataBits = data
        self.parity = parity
        stopBits = stop
    }
}
