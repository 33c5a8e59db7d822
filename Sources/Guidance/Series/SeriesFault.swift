package import Foundation

/// Why a list of slots is not a series, with the place and the remedy.
package struct SeriesFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Problem: Equatable, Sendable {
        /// The slot ends at or before its start.
        case reversed(start: Date, end: Date)
        /// The value is not a number or infinite.
        case notFinite
        /// The slot begins or ends before 1970 or after 2199.
        case timeFarOff(secondsSince1970: Double)
        /// The value is larger than anything in a home, of either sign.
        case valueFarOff(Double)
        /// The slot shares time with another one; the index is that one's place in what was given.
        case overlap(with: Int)
        /// The text is not the common form; the payload says where and why.
        case malformed(String)
        /// The unit is not one that this kind can be read from.
        case unknownUnit(String)
    }

    /// What is wrong.
    package let problem: Problem
    /// The slot's place in what was given, counted from 0; nil when the whole is at fault.
    package let index: Int?
    /// The file at fault, when there is one.
    package var file: String?

    /// Makes a fault.
    package init(_ problem: Problem, index: Int? = nil, file: String? = nil) {
        self.problem = problem
        self.index = index
        self.file = file
    }

    /// The same fault, with the name of the file it was found in.
    package func inFile(_ name: String?) -> SeriesFault { SeriesFault(problem, index: index, file: name ?? file) }

    /// `FILE: slot 3: what; how to mend it`.
    package var description: String {
        [file, index.map { "slot \($0)" }, "\(what); \(remedy)"].compactMap(\.self).joined(separator: ": ")
    }

    /// What is wrong, in words.
    package var what: String {
        switch problem {
        case .reversed(let start, let end):
            "it ends at \(InstantText.text(end)), not after its start \(InstantText.text(start))"
        case .notFinite: "its value is not a finite number"
        case .timeFarOff(let seconds):
            "a time of it is \(seconds) seconds from 1970, which is not in the years 1970 to 2199"
        case .valueFarOff(let value): "its value \(value) is not to be believed"
        case .overlap(let other): "it shares time with slot \(other) but says something else"
        case .malformed(let reason): reason
        case .unknownUnit(let unit): "the unit '\(unit)' is not known for this kind"
        }
    }

    /// How to mend it.
    package var remedy: String {
        switch problem {
        case .reversed: "slots are half-open, give an end after the start"
        case .notFinite: "leave a slot out when its value is unknown"
        case .timeFarOff: "check whether the times are in milliseconds where seconds are meant"
        case .valueFarOff: "check the source's field and unit"
        case .overlap: "keep one value for each moment"
        case .malformed: "give {source, kind, unit, slots:[{start, end, value}]} with times like 2026-03-29T00:00:00Z"
        case .unknownUnit: "use CUR/kWh or CUR/MWh for prices, gCO2/kWh for carbon, W or kW for solar"
        }
    }
}
