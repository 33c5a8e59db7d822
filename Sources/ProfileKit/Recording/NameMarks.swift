/// Names of a person's home with the marks that stand for them, to be put into texts in one go: what stands for a name
/// is not searched for others.
struct NameMarks: Sendable {
    private struct Name: Sendable {
        var text: String
        var mark: String
        /// Whether it counts only between other signs than letters and digits.
        var isWord: Bool
    }

    private let names: [Name]
    private let marks: [String]

    /// Takes names with their marks.
    /// - Parameters:
    ///   - topic: what the device is called at its broker.
    ///   - parameters: what its parameters name.
    init(topic: String?, _ parameters: ParameterMarks?) {
        var names: [Name] = []
        let pairs = parameters?.words ?? [:]
        for (text, mark) in pairs where text != mark && text.count > 2 {
            names.append(Name(text: text, mark: mark, isWord: !text.contains("/")))
        }
        if let topic, pairs[topic] == nil {
            names.append(Name(text: topic, mark: TrafficCleaner.topicMark, isWord: topic.count < 3))
        }
        // A topic before the name within it.
        self.names = names.sorted { ($0.text.count, $1.text) > ($1.text.count, $0.text) }
        marks = [TrafficCleaner.topicMark] + (parameters?.parameters.keys.map { "{\($0)}" } ?? [])
    }

    /// A text with marks for names.
    func put(into text: String) -> String {
        guard names.contains(where: { text.contains($0.text) }) else { return text }
        var (result, rest) = ("", text[...])
        while let next = rest.first {
            if next == "{", let mark = marks.first(where: { rest.hasPrefix($0) }) {
                result += mark
                rest = rest.dropFirst(mark.count)
            } else if let name = names.first(where: { rest.hasPrefix($0.text) && fits($0, result, rest) }) {
                result += name.mark
                rest = rest.dropFirst(name.text.count)
            } else {
                result.append(next)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private func fits(_ name: Name, _ before: String, _ rest: Substring) -> Bool {
        guard name.isWord else { return true }
        let after = rest.dropFirst(name.text.count).first
        return ![before.last, after].contains { $0?.isLetter == true || $0?.isNumber == true || $0 == "_" }
    }
}
