package import Foundation
package import HubKit

/// What is wrong in a series file, with its place: every fault at once, where reading it gives only the first.
package struct SeriesFileFault: Sendable, Equatable {
    /// The line, from 1.
    package let line: Int
    /// The column in characters, from 1.
    package let column: Int
    /// The way to the value, such as `slots[3].value`; empty for the whole.
    package let path: String
    /// What is wrong.
    package let what: String
    /// How to mend it.
    package let remedy: String
}

/// Looks through the bytes of a series file for a person who wrote it.
package struct SeriesFileCheck {
    private let bytes: [UInt8]
    private var faults: [SeriesFileFault] = []
    /// A file of a year with the same slip in every slot needs no 35,000 lines.
    private static let most = 20
    private static let form = "write {source, kind, unit, slots: [{start, end, value}]}"

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a series, and says everything that is wrong with it.
    /// - Parameter data: the file's content.
    /// - Returns: the series where it has no fault.
    package static func read(_ data: Data) -> (series: EnergySeries?, faults: [SeriesFileFault]) {
        var check = SeriesFileCheck(Array(data))
        check.look()
        guard check.faults.isEmpty else { return (nil, check.faults) }
        do throws(SeriesFault) {
            let series = try EnergySeries(json: data)
            return (series, [])
        } catch {
            check.add(
                check.offset(ofSlot: error.index), error.index.map { "slots[\($0)]" } ?? "", error.what, error.remedy)
            return (nil, check.faults)
        }
    }

    /// Where a slot begins; the whole document where none is named.
    private func offset(ofSlot index: Int?) -> Int {
        var scanner = JSONScanner(bytes)
        guard let index, let root = try? scanner.document(), case .list(let slots) = root["slots"]?.content,
            slots.indices.contains(index)
        else { return 0 }
        return slots[index].offset
    }

    /// The content of a file; a folder, a pipe or a file that no series fills is not read.
    /// - Throws: `HubError` that says why.
    package static func content(of file: URL) throws(HubError) -> Data {
        func refused(_ what: String, _ remedy: String) -> HubError {
            HubError(.guidance, "\(file.path):1:1: error: \(what); \(remedy)")
        }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
        else { throw refused("the file can't be found", "check the path") }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw refused("this is no regular file", "name a file with a series")
        }
        guard let size = attributes[.size] as? Int, size <= mostBytes else {
            throw refused("the file is larger than \(mostBytes) bytes", "keep a year of a series in it, not more")
        }
        guard let data = try? Data(contentsOf: file) else {
            throw refused("the file can't be read", "let the user that runs offpeak read it")
        }
        return data
    }

    /// A year of five-minute slots takes 10 MB.
    private static let mostBytes = 16 << 20

    private mutating func add(_ offset: Int, _ path: String, _ what: String, _ remedy: String) {
        guard faults.count < Self.most else { return }
        let place = JSONText.place(of: offset, in: bytes)
        faults.append(SeriesFileFault(line: place.line, column: place.column, path: path, what: what, remedy: remedy))
    }

    private mutating func look() {
        guard !bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
            return add(0, "", "the file is empty", Self.form)
        }
        var scanner = JSONScanner(bytes)
        do throws(JSONScanner.Fault) {
            look(at: try scanner.document())
        } catch {
            add(error.offset, "", "it is not JSON: \(error.what)", Self.form)
        }
    }

    private mutating func look(at root: LocatedJSON) {
        guard case .object = root.content else {
            return add(root.offset, "", "it is \(root.noun), not an object", Self.form)
        }
        if let repeated = root.repeatedKey() {
            add(repeated.offset, repeated.path, "it is there twice", "keep one of the two")
        }
        let kind = text("kind", of: root)
        let unit = text("unit", of: root)
        if let kind, let unit {
            do throws(SeriesFault) {
                _ = try SeriesUnit(unit, kind: kind)
            } catch {
                let key = if case .unknownUnit = error.problem { "unit" } else { "kind" }
                let remedy = key == "unit" ? error.remedy : "write price, carbon or solar"
                add(root[key]?.offset ?? root.offset, key, error.what, remedy)
            }
        }
        if let method = root["method"], !["average", "marginal"].contains(method.text) {
            add(method.offset, "method", "it is neither average nor marginal", "write one of the two, or leave it out")
        }
        guard let slots = root["slots"] else {
            return add(root.offset, "slots", "it is missing", "add a list of {start, end, value}")
        }
        guard case .list(let elements) = slots.content else {
            return add(slots.offset, "slots", "it is \(slots.noun), not a list", "write [{start, end, value}]")
        }
        guard !elements.isEmpty else {
            return add(slots.offset, "slots", "there is no slot", "give at least one {start, end, value}")
        }
        look(at: elements)
    }

    /// The text of a key that has to be there.
    private mutating func text(_ key: String, of object: LocatedJSON, path: String = "") -> String? {
        guard let value = object[key] else {
            add(object.offset, path + key, "it is missing", Self.form)
            return nil
        }
        if value.text == nil { add(value.offset, path + key, "it is \(value.noun), not a text", "put it in quotes") }
        return value.text
    }

    private mutating func look(at elements: [LocatedJSON]) {
        var spans: [(start: Date, end: Date, value: Double, index: Int)] = []
        for (index, slot) in elements.enumerated() where faults.count < Self.most {
            let path = "slots[\(index)]"
            guard case .object = slot.content else {
                add(slot.offset, path, "it is \(slot.noun), not an object", "write {start, end, value}")
                continue
            }
            let start = instant("start", of: slot, path)
            let end = instant("end", of: slot, path)
            guard let value = value(of: slot, path), let start, let end else { continue }
            if start < end {
                spans.append((start, end, value, index))
            } else {
                let fault = SeriesFault(.reversed(start: start, end: end))
                add(slot["end"]?.offset ?? slot.offset, "\(path).end", fault.what, fault.remedy)
            }
        }
        spans.sort { ($0.start, $0.end, $0.index) < ($1.start, $1.end, $1.index) }
        for (one, other) in zip(spans, spans.dropFirst()) where other.start < one.end {
            if one.start == other.start, one.end == other.end, one.value == other.value { continue }
            let (first, last) = (min(one.index, other.index), max(one.index, other.index))
            let fault = SeriesFault(.overlap(with: first))
            add(elements[last].offset, "slots[\(last)]", fault.what, fault.remedy)
        }
    }

    private mutating func value(of slot: LocatedJSON, _ path: String) -> Double? {
        guard let value = slot["value"] else {
            add(slot.offset, "\(path).value", "it is missing", "leave the whole slot out when its value is unknown")
            return nil
        }
        guard let number = value.number else {
            add(
                value.offset, "\(path).value", "it is \(value.noun), not a number",
                "write a plain number without quotes")
            return nil
        }
        guard number.isFinite else {
            add(value.offset, "\(path).value", "it is not a finite number", "write a plain number")
            return nil
        }
        return number
    }

    private mutating func instant(_ key: String, of slot: LocatedJSON, _ path: String) -> Date? {
        guard let text = text(key, of: slot, path: "\(path).") else { return nil }
        if let instant = InstantText.instant(text) { return instant }
        add(
            slot[key]?.offset ?? slot.offset, "\(path).\(key)", "'\(text.prefix(40))' is no time with an offset",
            "write it such as 2026-03-29T00:00:00Z")
        return nil
    }
}
