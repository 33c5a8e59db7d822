package import Foundation

/// The common form itself, so that any program can be a source by writing a file.
package struct CommonFormDecoder: PayloadDecoder {
    /// `file`.
    package let name = "file"
    /// Also `common`.
    package let aliases = ["common", "json"]
    /// As the file says.
    package let kind: String? = nil

    /// Makes the decoder.
    package init() {}

    /// Decodes `{source, kind, unit, slots:[{start, end, value}]}`.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries { try EnergySeries(json: bytes) }
}
