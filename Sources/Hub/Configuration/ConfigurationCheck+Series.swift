import Foundation
import Guidance
import HubKit
import Storage
import YAML

/// A series file that can't be used as it is now.
struct BrokenSeries: Sendable {
    /// The name that its figures are kept under.
    let shelfName: String
    /// Tells figures of other settings apart.
    let fingerprint: String

    init(
        _ file: URL, name: String? = nil, decoder: any PayloadDecoder = CommonFormDecoder(), settings: SourceSettings
    ) {
        shelfName = FileSeries.shelfName(file, name: name)
        fingerprint = FileSeries.fingerprint(file, decoder: decoder, settings: settings)
    }

    /// Whether a hub that ran before has figures of this file.
    func isKept(in stored: [String: StoredSource]) -> Bool {
        guard let source = stored[shelfName], source.series != nil else { return false }
        let memory = try? JSONDecoder().decode(SourceMemory.self, from: Data(source.state.utf8))
        return memory?.fingerprint == fingerprint
    }
}

/// The series files that a home's guidance is made from.
extension ConfigurationCheck {
    /// - Returns: those that can't be used.
    func checkSeries(_ venue: VenueConfiguration) -> [BrokenSeries] {
        let files = [(venue.priceFile, SourceSettings.Side.price), (venue.carbonFile, .carbon)]
        return files.compactMap { file, side in
            guard let file, !look(into: file, of: venue, side.rawValue) else { return nil }
            return BrokenSeries(file, settings: SourceSettings(side: side))
        }
    }

    /// A file that a source names must be one that can be read as it says.
    /// - Returns: the file where it can't be used.
    func checkFile(_ source: SourceConfiguration) -> BrokenSeries? {
        guard case .file(let file, let decoder) = source.way else { return nil }
        let broken = BrokenSeries(file, name: source.name, decoder: decoder, settings: source.settings)
        do {
            let series = try FileSeries.read(file, decoder: decoder, settings: source.settings)
            let side = source.settings.side.rawValue
            guard let place = source.place else { return nil }
            guard series.kind.name != side else {
                warn(of: series, in: file, at: place)
                return nil
            }
            seriesIssues.add(
                "\(file.lastPathComponent) is a \(series.kind.name) series, not a \(side) series",
                hint: "name another file, or another kind", at: place)
        } catch {
            said(plainWords(of: error), of: file, at: source.place?["file"] ?? source.place)
        }
        return broken
    }

    /// - Returns: whether the file can be used.
    private func look(into file: URL, of venue: VenueConfiguration, _ use: String) -> Bool {
        let place = venue.place?.nearest("guidance.\(use).file")
        let data: Data
        do throws(HubError) {
            data = try SeriesFileCheck.content(of: file)
        } catch {
            said(error.message, of: file, at: place)
            return false
        }
        let (series, faults) = SeriesFileCheck.read(data)
        for fault in faults {
            seriesIssues.add(
                YAMLError(
                    file: file.path, line: fault.line, column: fault.column, path: fault.path, message: fault.what,
                    hint: fault.remedy))
        }
        guard let series else { return false }
        guard let place else { return true }
        if series.kind.name != use {
            seriesIssues.add(
                "\(file.lastPathComponent) is a \(series.kind.name) series, not a \(use) series",
                hint: "name a file whose kind is \(use)", at: place)
            return false
        }
        if let currency = series.currency, let own = venue.currency, currency != own {
            seriesIssues.add(
                "the prices of \(file.lastPathComponent) are in \(currency), but the venue's currency is \(own)",
                hint: "give both the same currency", at: place)
            return false
        }
        warn(of: series, in: file, at: place)
        return true
    }

    /// A series that the hub will not believe; the file may be mended while it runs.
    private func warn(of series: EnergySeries, in file: URL, at place: YAMLNode) {
        guard let doubt = series.doubt(now: clock.now) else { return }
        let parts = "\(doubt)".split(separator: "; ", maxSplits: 1).map(String.init)
        issues.warn("\(file.lastPathComponent): \(parts[0])", hint: parts.dropFirst().first, at: place)
    }

    /// What kept a file from being read, at the line that names it.
    private func said(_ message: String, of file: URL, at place: YAMLNode?) {
        let what = message.replacing("\(file.path):1:1: error: ", with: "")
        let parts = what.split(separator: "; ", maxSplits: 1).map(String.init)
        let error = "\(file.path): \(parts.first ?? what)"
        if let place {
            seriesIssues.add(error, hint: parts.last, at: place)
        } else {
            seriesIssues.add(YAMLError(file: file.path, message: parts.first ?? what, hint: parts.last))
        }
    }
}
