/// A JSON Schema (2020-12) as far as the API needs it.
indirect enum Schema: Sendable {
    typealias Member = (name: String, schema: Schema, description: String?)

    case string(format: String? = nil, minLength: Int? = nil, maxLength: Int? = nil, pattern: String? = nil)
    case integer(minimum: Int64? = nil, maximum: Int64? = nil)
    case number(minimum: Double? = nil, maximum: Double? = nil)
    case boolean
    case choice([String])
    case array(Schema, minItems: Int? = nil, maxItems: Int? = nil)
    /// Members in order; the named ones must be there. What clients send is closed: it may have no others.
    case object([Member], required: [String], isClosed: Bool = false)
    case nullable(Schema)
    /// One of the document's components.
    case named(String)

    var json: String {
        var members: [(String, String)] = []
        switch self {
        case .string(let format, let minLength, let maxLength, let pattern):
            members = [("type", "\"string\"")]
            if let format { members.append(("format", JSONText.string(format))) }
            if let minLength { members.append(("minLength", "\(minLength)")) }
            if let maxLength { members.append(("maxLength", "\(maxLength)")) }
            if let pattern { members.append(("pattern", JSONText.string(pattern))) }
        case .integer(let minimum, let maximum):
            members = [("type", "\"integer\""), ("format", "\"int64\"")]
            if let minimum { members.append(("minimum", "\(minimum)")) }
            if let maximum { members.append(("maximum", "\(maximum)")) }
        case .number(let minimum, let maximum):
            members = [("type", "\"number\"")]
            if let minimum { members.append(("minimum", Self.text(minimum))) }
            if let maximum { members.append(("maximum", Self.text(maximum))) }
        case .boolean: members = [("type", "\"boolean\"")]
        case .choice(let words):
            members = [("type", "\"string\""), ("enum", JSONText.array(words.map(JSONText.string)))]
        case .array(let items, let minItems, let maxItems):
            members = [("type", "\"array\""), ("items", items.json)]
            if let minItems { members.append(("minItems", "\(minItems)")) }
            if let maxItems { members.append(("maxItems", "\(maxItems)")) }
        case .object(let properties, let required, let isClosed):
            let all = properties.map { property in
                (property.name, property.schema.described(property.description))
            }
            members = [("type", "\"object\""), ("properties", JSONText.object(all))]
            if !required.isEmpty {
                members.append(("required", JSONText.array(required.map(JSONText.string))))
            }
            if isClosed { members.append(("additionalProperties", "false")) }
        case .nullable(let schema): return "{\"anyOf\":[\(schema.json),{\"type\":\"null\"}]}"
        case .named(let name): return "{\"$ref\":\"#/components/schemas/\(name)\"}"
        }
        return JSONText.object(members)
    }

    private func described(_ text: String?) -> String {
        guard let text else { return json }
        return json.dropLast() + ",\"description\":\(JSONText.string(text))}"
    }

    static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    }
}
