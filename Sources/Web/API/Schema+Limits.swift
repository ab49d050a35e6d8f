extension Schema {
    /// What is wrong with a value, as the end of a sentence that begins with its name; nil if it is within the limits that the
    /// description gives. The database checks again, and more.
    ///
    /// - Parameter value: of the right type.
    func fault(of value: JSONValue) -> String? {
        switch (self, value) {
        case (.integer(let minimum, let maximum), .integer(let number)):
            guard number < minimum ?? .min || number > maximum ?? .max else { return nil }
            return Self.range("a whole number", minimum.map(String.init), maximum.map(String.init))
        case (.number(let minimum, let maximum), .integer(let number)):
            return Schema.number(minimum: minimum, maximum: maximum).fault(of: .number(Double(number)))
        case (.number(let minimum, let maximum), .number(let number)):
            guard number < minimum ?? -.infinity || number > maximum ?? .infinity else { return nil }
            return Self.range("a number", minimum.map(Self.text), maximum.map(Self.text))
        case (.integer, .string(let text)):
            return Int64(text).flatMap { fault(of: .integer($0)) }
        case (.number, .string(let text)):
            return Double(text).flatMap { fault(of: .number($0)) }
        case (.choice(let words), .string(let text)):
            return words.contains(text) ? nil : "must be one of \(words.joined(separator: ", "))"
        case (.string(_, let minLength, let maxLength, _), .string(let text)):
            guard text.unicodeScalars.count >= minLength ?? 0 else { return "is empty" }
            guard let maxLength, text.unicodeScalars.count > maxLength else { return nil }
            return "has more than \(maxLength) characters"
        case (.array(let schema, _, let maxItems), .array(let items)):
            guard items.count <= maxItems ?? .max else { return "has more than \(maxItems ?? 0) items" }
            return items.lazy.compactMap { schema.fault(of: $0) }.first.map { "has an item that \($0)" }
        default: return nil
        }
    }

    private static func range(_ what: String, _ minimum: String?, _ maximum: String?) -> String {
        switch (minimum, maximum) {
        case (let minimum?, let maximum?): "must be \(what) from \(minimum) to \(maximum)"
        case (let minimum?, nil): "must be \(what) of at least \(minimum)"
        case (nil, let maximum?): "must be \(what) of at most \(maximum)"
        case (nil, nil): "must be \(what)"
        }
    }
}
