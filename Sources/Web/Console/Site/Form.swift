import HTTPServer
import Pages

/// The fields that a browser sends.
struct Form: Sendable {
    private var fields: [(name: String, value: String)]

    static let empty = Form(fields: [])

    /// The fields of the address.
    init(_ request: HTTPRequest) { fields = request.query }

    private init(fields: [(name: String, value: String)]) { self.fields = fields }

    /// The fields of the body.
    ///
    /// - Throws: ``ConsoleError`` if it is no form, or too large.
    init(reading request: HTTPRequest) async throws {
        guard let reader = request.body.formReader() else { throw ConsoleError.badRequest("Send a form.") }
        var values: [(name: String, value: [UInt8])] = []
        var total = 0
        func take(_ parts: [HTTPFormPart]?) throws {
            guard let parts else { throw ConsoleError.badRequest("The form is not valid.") }
            for part in parts {
                total += part.bytes.count
                guard total <= 1 << 20 else { throw ConsoleError.badRequest("The form is too large.") }
                if part.offset > 0, let last = values.indices.last, values[last].name == part.name {
                    values[last].value += part.bytes
                } else {
                    values.append((part.name, part.bytes))
                }
            }
        }
        while let chunk = try await request.body.next() { try take(reader.parse(chunk)) }
        try take(reader.finish())
        guard !values.contains(where: { $0.value.contains(0) }) else {
            throw ConsoleError.badRequest("A text has a NUL character: leave it out.")
        }
        fields = values.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) }
    }

    /// Nil if the field is absent or empty.
    subscript(name: String) -> String? {
        fields.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    func all(_ name: String) -> [String] {
        fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }

    func number(_ name: String) -> Int64? { self[name].flatMap { Int64($0) } }

    var isEmpty: Bool { fields.allSatisfy(\.value.isEmpty) }

    /// The fields as a query, with others in place of those of the same names.
    func query(with changes: [(String, String?)] = []) -> String {
        let changed = Set(changes.map(\.0))
        let kept = fields.filter { !changed.contains($0.name) && !$0.value.isEmpty }
        let added = changes.compactMap { name, value in value.map { (name: name, value: $0) } }
        return (kept + added).map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(
            separator: "&")
    }

    /// The fields as hidden inputs.
    func hidden(without names: Set<String> = []) -> HTML {
        .all(
            fields.filter { !names.contains($0.name) && !$0.value.isEmpty }.map {
                "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">"
            })
    }

    /// A time such as `90s`, `30m`, `2h` or `7d`, of at most a thousand years.
    static func seconds(_ text: String) -> Double? {
        guard let unit = text.last, let factor = ["s": 1.0, "m": 60, "h": 3600, "d": 86_400][unit],
            let number = Double(text.dropLast()), (0...3.2e10).contains(number * factor)
        else { return nil }
        return number * factor
    }

    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
