import Foundation
import YAML

extension ConfigurationReader {
    /// Text in which `${NAME}` stands for a variable of the environment; nil where it is absent, empty or wrong.
    func text(_ reader: inout YAMLReader, _ key: String, isRequired: Bool = false) -> String? {
        guard let raw = isRequired ? reader.string(key) : reader.optionalString(key) else { return nil }
        guard let text = raw.contains("${") ? substituted(raw, reader, key) : raw else { return nil }
        guard text.contains(where: { !$0.isWhitespace }) else {
            reader.add("'\(key)' is empty", hint: emptyHint(raw, isRequired), at: key)
            return nil
        }
        return text
    }

    private func emptyHint(_ raw: String, _ isRequired: Bool) -> String {
        if raw.contains("${") { return "give the variable a value" }
        return isRequired ? "write it between the quotes" : "write something, or remove the line"
    }

    private func substituted(_ raw: String, _ reader: YAMLReader, _ key: String) -> String? {
        var result = ""
        var rest = raw[...]
        var isWhole = true
        while let start = rest.range(of: "${") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                reader.add("'${' is not closed", hint: "write ${NAME}", at: key)
                return nil
            }
            let name = String(rest[start.upperBound..<end])
            rest = rest[rest.index(after: end)...]
            if name.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) == nil {
                reader.add(
                    "'\(YAMLNode.shown(name))' can't be the name of a variable", hint: "write ${NAME}", at: key)
                isWhole = false
            } else if let value = environment[name] {
                result += value
            } else {
                reader.add(
                    "the environment has no variable '\(YAMLNode.shown(name))'",
                    hint: "set it, or write the value here", at: key)
                isWhole = false
            }
        }
        return isWhole ? result + rest : nil
    }

    /// A name that people read: one line of at most 100 characters.
    func label(_ reader: inout YAMLReader, _ key: String, isRequired: Bool = false) -> String? {
        guard let text = text(&reader, key, isRequired: isRequired) else { return nil }
        guard text.count <= 100 else {
            reader.add("'\(key)' has \(text.count) characters", hint: "write at most 100", at: key)
            return nil
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            reader.add("'\(key)' has a line break or control character in it", hint: "write it on one line", at: key)
            return nil
        }
        return text
    }

    /// The name or address of a machine.
    func host(_ reader: inout YAMLReader, _ key: String, isRequired: Bool = false) -> String? {
        guard let text = text(&reader, key, isRequired: isRequired) else { return nil }
        if let (what, remedy) = HostName.fault(text) {
            reader.add("'\(YAMLNode.shown(text))' \(what)", hint: remedy, at: key)
            return nil
        }
        return text
    }

    /// A path; relative ones start at the configuration's own folder.
    func path(_ reader: inout YAMLReader, _ key: String, isRequired: Bool = false) -> URL? {
        guard let text = text(&reader, key, isRequired: isRequired) else { return nil }
        guard text.utf8.count <= 4000, !text.utf8.contains(0) else {
            reader.add("'\(key)' is no path", hint: "write the path of a file or folder", at: key)
            return nil
        }
        return URL(fileURLWithPath: text, relativeTo: file.deletingLastPathComponent()).absoluteURL
    }

    /// A secret: from `KEY_file`, or from `KEY` where it comes from the environment.
    func secret(_ reader: inout YAMLReader, _ key: String) -> String? {
        let fileKey = key + "_file"
        let direct = text(&reader, key)
        guard let path = path(&reader, fileKey) else { return direct }
        guard FileManager.default.kind(of: path) == .typeRegular,
            let content = try? String(contentsOf: path, encoding: .utf8)
        else {
            reader.add(
                "\(path.path) can't be read", hint: "create it with mode 0600 and the \(key) in it", at: fileKey)
            return nil
        }
        let secret = content.trimmingCharacters(in: .whitespacesAndNewlines)
        if secret.isEmpty { reader.add("\(path.path) is empty", hint: "write the \(key) into it", at: fileKey) }
        if direct != nil {
            reader.add("there is a \(key) too", hint: "keep one of '\(key)' and '\(fileKey)'", at: fileKey)
        }
        return secret
    }
}

/// Whether a text can be the name or address of a machine.
enum HostName {
    /// What is wrong with it and how to mend it; nil when nothing is.
    static func fault(_ text: String) -> (what: String, remedy: String)? {
        let example = "write a name or an address such as 192.0.2.7"
        if text.contains("://") || text.contains("/") {
            return ("is the address of a page, not of a machine", "leave out http:// and whatever follows the name")
        }
        let colons = text.count { $0 == ":" }
        if colons == 1 { return ("has a port in it", "write the port on its own, as 'port:'") }
        if colons > 1 { return addressFault(text) }
        let letters = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-._".unicodeScalars.contains(scalar)
        }
        guard letters, text.utf8.count <= 253 else { return ("is no name of a machine", example) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.contains(where: \.isEmpty) && !(text.hasSuffix(".") && parts.dropLast().allSatisfy { !$0.isEmpty }) {
            return ("is no name of a machine", example)
        }
        let isNumeric = text.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
        if isNumeric, parts.count != 4 || !parts.allSatisfy({ UInt8($0) != nil }) {
            return ("is no IPv4 address", "write four numbers from 0 to 255, such as 192.0.2.7")
        }
        return nil
    }

    private static func addressFault(_ text: String) -> (what: String, remedy: String)? {
        let bare = text.trimmingCharacters(in: ["[", "]"]).split(separator: "%").first ?? ""
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(bare), &address) == 1 else {
            return ("is no IPv6 address", "write one such as 2001:db8::7")
        }
        return nil
    }
}
