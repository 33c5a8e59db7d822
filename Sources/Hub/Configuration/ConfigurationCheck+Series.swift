import Foundation
import Guidance
import HubKit
import YAML

/// The series files that a home's guidance is made from.
extension ConfigurationCheck {
    func checkSeries(_ venue: VenueConfiguration) {
        if let file = venue.priceFile { look(into: file, of: venue, "price") }
        if let file = venue.carbonFile { look(into: file, of: venue, "carbon") }
    }

    /// A file that a source names must be one that can be read as it says.
    func checkFile(_ source: SourceConfiguration) {
        guard case .file(let file, let decoder) = source.way else { return }
        do {
            let series = try FileSeries.read(file, decoder: decoder, settings: source.settings)
            let side = source.settings.side.rawValue
            guard series.kind.name != side, let place = source.place else { return }
            issues.add(
                "\(file.lastPathComponent) is a \(series.kind.name) series, not a \(side) series",
                hint: "name another file, or another kind", at: place)
        } catch {
            said(plainWords(of: error), of: file, at: source.place?["file"] ?? source.place)
        }
    }

    private func look(into file: URL, of venue: VenueConfiguration, _ use: String) {
        let place = venue.place?.nearest("guidance.\(use).file")
        let data: Data
        do throws(HubError) {
            data = try SeriesFileCheck.content(of: file)
        } catch {
            return said(error.message, of: file, at: place)
        }
        let (series, faults) = SeriesFileCheck.read(data)
        for fault in faults {
            issues.add(
                YAMLError(
                    file: file.path, line: fault.line, column: fault.column, path: fault.path, message: fault.what,
                    hint: fault.remedy))
        }
        guard let series, let place else { return }
        if series.kind.name != use {
            issues.add(
                "\(file.lastPathComponent) is a \(series.kind.name) series, not a \(use) series",
                hint: "name a file whose kind is \(use)", at: place)
        } else if let currency = series.currency, let own = venue.currency, currency != own {
            issues.add(
                "the prices of \(file.lastPathComponent) are in \(currency), but the venue's currency is \(own)",
                hint: "give both the same currency", at: place)
        } else if let doubt = series.doubt(now: clock.now) {
            let parts = "\(doubt)".split(separator: "; ", maxSplits: 1).map(String.init)
            issues.warn("\(file.lastPathComponent): \(parts[0])", hint: parts.dropFirst().first, at: place)
        }
    }

    /// What kept a file from being read, at the line that names it.
    private func said(_ message: String, of file: URL, at place: YAMLNode?) {
        let what = message.replacing("\(file.path):1:1: error: ", with: "")
        let parts = what.split(separator: "; ", maxSplits: 1).map(String.init)
        let error = "\(file.path): \(parts.first ?? what)"
        if let place {
            issues.add(error, hint: parts.last, at: place)
        } else {
            issues.add(YAMLError(file: file.path, message: parts.first ?? what, hint: parts.last))
        }
    }
}
