import EnergyKit
import Foundation

/// An error as a person reads it in the log or beside a device: what is wrong and what helps, never a dump of a Swift
/// value.
///
/// Errors of the hub's modules describe themselves; those of the system are put into its own words.
/// - Parameter error: any error.
public func plainWords(of error: any Error) -> String {
    switch error {
    case is CancellationError: return "it was stopped before it was done"
    case let error as HubError: return error.message
    case let error as EnergyKitFailure: return words(of: error)
    case let error as EnergyKitError: return error.errorDescription ?? error.code
    case let error as CocoaError: return words(of: error)
    case let error as POSIXError: return String(cString: strerror(error.code.rawValue))
    case let error as DecodingError: return words(of: error)
    case is any CustomNSError: return error.localizedDescription
    case _ where type(of: error) is NSError.Type: return error.localizedDescription
    case let error as any CustomStringConvertible: return error.description
    default: return (error as? any LocalizedError)?.errorDescription ?? unknown(error)
    }
}

private func words(of failure: EnergyKitFailure) -> String {
    failure.detail.isEmpty ? failure.error.errorDescription ?? failure.error.code : failure.detail
}

private func words(of error: DecodingError) -> String {
    let keys =
        switch error {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath
        @unknown default: [] as [any CodingKey]
        }
    let path = keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    return path.isEmpty
        ? "it can't be read: \(error.plainReason)" : "it can't be read at \(path): \(error.plainReason)"
}

/// Foundation's own texts end in the number of a code; the system's word behind it says more.
private func words(of error: CocoaError) -> String {
    if let system = error.userInfo[NSUnderlyingErrorKey] as? POSIXError { return plainWords(of: system) }
    switch error.code {
    case .fileNoSuchFile, .fileReadNoSuchFile: return "there is no such file"
    case .fileReadNoPermission, .fileWriteNoPermission: return "permission denied"
    case .fileWriteFileExists: return "it exists already"
    case .fileWriteOutOfSpace: return "there is no space left on the device"
    case .fileWriteVolumeReadOnly: return "the file system is read-only"
    case .fileReadCorruptFile: return "the file is damaged"
    default: return error.code.rawValue >= 512 ? "it can't be written" : "it can't be read"
    }
}

/// An error that nobody wrote words for: its type and case at least, without what it carries.
private func unknown(_ thrown: any Error) -> String {
    let name = String(describing: type(of: thrown))
    let text = String(describing: thrown)
    let label = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return label.isEmpty || label == name ? "an unexpected fault (\(name))" : "an unexpected fault (\(name).\(label))"
}
