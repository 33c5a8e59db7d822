import Foundation

/// Rules about single lines and files, beyond what the compiler and the formatter see.
struct CodeRules {
    let house: House
    var maximumLines = 400

    /// Every breach, as `path:line: what`.
    func breaches(in tree: Tree) -> [String] {
        let house = house.with(driversOf: tree)
        return tree.files.flatMap { file -> [String] in
            let lines = SourceText(file.text).lines
            var found: [String] = []
            let length = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            if length > maximumLines { found.append("\(file.path): \(length) lines, more than \(maximumLines)") }
            for (index, line) in lines.enumerated() {
                let explained = line.hasComment || (index > 0 && lines[index - 1].hasComment)
                found += breaches(line.code, isExplained: explained, file, house.rooms[file.room])
                    .map { "\(file.path):\(index + 1): \($0)" }
            }
            return found
        }
    }

    private func breaches(_ code: String, isExplained: Bool, _ file: SourceFile, _ layer: Layer?) -> [String] {
        var found: [String] = []
        if !mayReadTime(file, layer) {
            found += Self.wallClock.filter { Self.has($0, in: code) }.map { "\($0) outside HubKit's clock" }
        }
        if !mayPrint(file, layer) {
            found += Self.printing.filter { Self.has($0, in: code) }.map { "\($0)…) outside the programs" }
        }
        if speaksToPeople(file, layer) {
            found += Self.bareErrors.filter { Self.has($0, in: code) }.map {
                "\($0) says a Swift value to people; use plainWords(of: error)"
            }
        }
        for word in Self.unsafe where Self.has(word, in: code) {
            if layer != .wrapper && layer != .threads {
                found.append("\(word) outside a wrapper")
            } else if !isExplained {
                found.append("\(word) without a comment that says why it is safe")
            }
        }
        return found
    }

    // Wall time only: a monotonic clock may measure how long something takes. The short form `.now` cannot be told from
    // a device's mode of that name.
    private static let wallClock = [
        "Date()", "Date.now", "Date = .now", "Date(timeIntervalSinceNow", ".timeIntervalSinceNow",
        "DispatchWallTime.now",
        "time(nil)", "gettimeofday(", "clock_gettime(CLOCK_REALTIME", "CFAbsoluteTimeGetCurrent(",
    ]
    // An error between the quotes of a text, and nothing around it.
    private static let bareErrors = ["(error)", "String(describing: error)"]
    private static let printing = ["print(", "debugPrint(", "dump("]
    private static let unsafe = ["@unchecked Sendable", "nonisolated(unsafe)", "try!", "unsafeBitCast"]

    private func mayReadTime(_ file: SourceFile, _ layer: Layer?) -> Bool {
        file.path.hasPrefix("Sources/HubKit/") && file.name.hasSuffix("Clock.swift")
            || layer == .testSupport || layer == .example || file.room == "OffpeakBenchmarks"
    }

    /// Whether texts of the file reach the log, the page or a client.
    private func speaksToPeople(_ file: SourceFile, _ layer: Layer?) -> Bool {
        guard let layer, !file.path.contains("/CommandLine/") else { return false }
        return [.pluginAPI, .profiles, .service, .edge, .driver, .hub].contains(layer)
    }

    private func mayPrint(_ file: SourceFile, _ layer: Layer?) -> Bool {
        layer == .program || layer == .example || file.path.hasPrefix("Sources/Hub/") && file.name.contains("Console")
    }

    /// Whether the code has the word, not as the end of a longer name or as another type's member.
    static func has(_ word: String, in code: String) -> Bool {
        guard code.withCString({ strstr($0, word) }) != nil else { return false }
        let pieces = code.components(separatedBy: word).dropLast()
        return pieces.contains { piece in
            guard let last = piece.last, !word.hasPrefix("."), !word.hasPrefix("@") else { return true }
            return !(last.isLetter || last.isNumber || "._".contains(last)) && !piece.hasSuffix("func ")
        }
    }
}
