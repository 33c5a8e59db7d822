import Foundation
import FoundationXML

/// One element of an XML document, names without their prefix.
final class XMLTree {
    let name: String
    let attributes: [String: String]
    fileprivate(set) var text = ""
    fileprivate(set) var children: [XMLTree] = []

    fileprivate init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// Reads a document.
    ///
    /// - Throws: `PayloadError` with the line where it is not XML, and for a page of HTML.
    static func parse(_ bytes: Data) throws(PayloadError) -> XMLTree {
        let builder = XMLTreeBuilder()
        let parser = XMLParser(data: try XMLText.normalized(bytes))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        guard parser.parse(), let root = builder.root else {
            throw .malformed("line \(parser.lineNumber) is not XML")
        }
        guard root.name.lowercased() != "html" else { throw .malformed("it is a page of HTML, not XML") }
        return root
    }

    /// The children of a name.
    func all(_ name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// The first child of a name.
    func first(_ name: String) -> XMLTree? { children.first { $0.name == name } }

    /// The text of the first child of a name, without white space around it.
    func value(_ name: String) -> String? {
        first(name).map { $0.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    }
}

private final class XMLTreeBuilder: NSObject, XMLParserDelegate {
    private(set) var root: XMLTree?
    private var open: [XMLTree] = []

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let element = XMLTree(name: elementName, attributes: attributes)
        if let parent = open.last { parent.children.append(element) } else { root = element }
        open.append(element)
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { open.last?.text += string }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        _ = open.popLast()
    }
}
