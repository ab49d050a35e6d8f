import CExpat

/// An element of a small XML document, without attributes and namespaces.
struct XMLNode: Sendable {
    var name: String
    var text = ""
    var children: [XMLNode] = []

    /// The text of the first child of this name.
    subscript(name: String) -> String? { children.first { $0.name == name }?.text }

    func children(named name: String) -> [XMLNode] { children.filter { $0.name == name } }

    /// The root of `document`; nil if it is not well-formed, has a document type (no store sends one, and it could define
    /// entities that grow), more than 16 levels, or more than 20,000 elements.
    static func parse(_ document: [UInt8]) -> XMLNode? {
        guard !document.isEmpty, document.count <= CInt.max, let parser = XML_ParserCreate("UTF-8") else {
            return nil
        }
        defer { XML_ParserFree(parser) }
        let tree = XMLTree(parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(tree).toOpaque())
        XML_SetElementHandler(
            parser, { context, name, _ in XMLTree.of(context).begin(String(cString: name!)) },
            { context, _ in XMLTree.of(context).end() })
        XML_SetCharacterDataHandler(parser) { context, bytes, count in
            XMLTree.of(context).add(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }
        XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in XMLTree.of(context).refuse() }
        return withExtendedLifetime(tree) {
            let status = document.withUnsafeBytes { bytes in
                XML_Parse(
                    parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), 1)
            }
            return status == XML_STATUS_OK ? tree.root : nil
        }
    }
}

/// What was parsed so far.
private final class XMLTree {
    private let parser: XML_Parser
    private var open: [(node: XMLNode, text: [UInt8])] = []
    private var count = 0
    private(set) var root: XMLNode?

    init(_ parser: XML_Parser) { self.parser = parser }

    static func of(_ context: UnsafeMutableRawPointer?) -> XMLTree {
        Unmanaged<XMLTree>.fromOpaque(context!).takeUnretainedValue()
    }

    func begin(_ name: String) {
        count += 1
        guard open.count < 16, count <= 20_000 else { return refuse() }
        open.append((XMLNode(name: String(name.split(separator: ":").last ?? "")), []))
    }

    func end() {
        guard var (ended, text) = open.popLast() else { return }
        ended.text = String(decoding: text, as: UTF8.self)
        text = []
        if open.isEmpty { root = ended } else { open[open.count - 1].node.children.append(ended) }
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        guard !open.isEmpty else { return }
        open[open.count - 1].text += bytes
    }

    func refuse() { XML_StopParser(parser, 0) }
}
