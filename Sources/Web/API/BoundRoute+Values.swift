import HTTPServer
import Postgres

extension BoundRoute {
    /// The values of the request, as PostgreSQL's texts.
    ///
    /// - Parameter path: those of the path.
    /// - Throws: `Problem` for what is missing, unknown, given twice, or no value of its type.
    func values(of request: HTTPRequest, path: [String: String]) async throws(Problem) -> [String: String?] {
        var values: [String: String?] = [:]
        func take(_ name: String, _ value: String?, _ place: String) throws(Problem) {
            guard parameters.contains(where: { $0.name == name }) else {
                throw Problem(
                    .unknownParameter, "\(place) has no parameter \(name). \(known)", argument: name)
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Problem(.invalidRequest, "The parameter \(name) is given twice.", argument: name)
            }
        }
        for (name, value) in path { try take(name, try text(.string(value), of: name), "The path") }
        var lists: [String: [JSONValue]] = [:]
        for (name, value) in request.query {
            guard !route.takesBody else {
                throw Problem(
                    .unknownParameter,
                    "Send \(name) as a member of the JSON object in the body, not in the query.",
                    argument: name)
            }
            // A list has its parameter once for each of its items.
            if let item = parameters.first(where: { $0.name == name }).flatMap({
                ParameterType($0).item(value)
            }) {
                lists[name, default: []].append(item)
            } else {
                try take(name, try text(.string(value), of: name), "The query")
            }
        }
        for (name, items) in lists { try take(name, try text(.array(items), of: name), "The query") }
        if route.takesBody {
            for (name, value) in try await members(of: request) where value != .null || mayBeNull(name) {
                try take(name, value == .null ? nil : try text(value, of: name), "The body")
            }
        }
        if let missing = parameters.first(where: { $0.isRequired && !values.keys.contains($0.name) }) {
            throw Problem(
                .missingParameter,
                "Give \(missing.name) \(route.takesBody ? "as a member of the body" : "in the query").",
                argument: missing.name)
        }
        return values
    }

    /// Whether null is a value of a parameter. For others, it is as if they were not given.
    func mayBeNull(_ name: String) -> Bool {
        route.nulls.contains(name) || !parameters.contains { $0.name == name && $0.isRequired }
    }

    private var known: String {
        let names = parameters.map(\.name).filter { !route.pathParameters.contains($0) }
        return names.isEmpty ? "It takes none." : "It takes \(names.joined(separator: ", "))."
    }

    private func members(of request: HTTPRequest) async throws(Problem) -> [String: JSONValue] {
        let hasMembers = parameters.contains { !route.pathParameters.contains($0.name) }
        guard !request.body.isEmpty else {
            if parameters.contains(where: { $0.isRequired && !route.pathParameters.contains($0.name) }) {
                throw Problem(.invalidRequest, "The body must be a JSON object. \(known)")
            }
            return [:]
        }
        guard hasMembers else { throw Problem(.invalidRequest, "This takes no body.") }
        return try await request.members()
    }

    /// - Throws: `Problem` for a value that is not of the parameter's type.
    private func text(_ value: JSONValue, of name: String) throws(Problem) -> String {
        guard let parameter = parameters.first(where: { $0.name == name }) else { return "" }
        guard let text = ParameterType(parameter).text(value) else {
            throw Problem(
                .invalidArgument, "\(name) must be \(ParameterType(parameter).description).", argument: name)
        }
        if let fault = parameter.schema.fault(of: value) {
            throw Problem(.invalidArgument, "\(name) \(fault).", argument: name)
        }
        return text
    }
}

extension HTTPRequest {
    /// A small object; photos have endpoints of their own.
    private static let membersLimit = 1024 * 1024

    /// The members of the JSON object in the body.
    func members() async throws(Problem) -> [String: JSONValue] {
        let type = headers["Content-Type"]?.split(separator: ";").first?.lowercased() ?? ""
        guard type == "application/json" || type.hasSuffix("+json") else {
            throw Problem(.unsupportedType, "Send the body as application/json.")
        }
        let bytes: [UInt8]
        do {
            bytes = try await body.bytes(atMost: Self.membersLimit)
        } catch {
            throw error == .tooLarge
                ? Problem(.tooLarge, "The body has more than \(Self.membersLimit) bytes.")
                : Problem(.invalidRequest, "The body ended too early.")
        }
        let members: [String: JSONValue]?
        do {
            members = try JSONValue.members(of: bytes)
        } catch {
            throw Problem(.invalidRequest, "The body is not JSON that can be used: \(error).")
        }
        guard let members else { throw Problem(.invalidRequest, "The body is not a JSON object.") }
        return members
    }
}

/// How a parameter's values are written by clients and by PostgreSQL.
struct ParameterType: CustomStringConvertible {
    let base: String
    let type: String

    init(_ parameter: BoundRoute.Parameter) {
        base = parameter.base
        type = parameter.type
    }

    init(base: String, type: String) {
        self.base = base
        self.type = type
    }

    var description: String {
        switch base {
        case "int8", "int4", "int2": "a whole number"
        case "float8": "a number"
        case "bool": "true or false"
        case "timestamptz": "a time such as 2026-11-25T08:00:00Z"
        case "interval": "a time span such as 12 hours or PT12H"
        case "place_key": "a level and a GeoNames number, such as city:658225"
        case "_int8", "_int4": "a list of whole numbers"
        case "_text": "a list of texts"
        default: "a text"
        }
    }

    /// PostgreSQL's text of a value; nil if it is not of the type.
    func text(_ value: JSONValue) -> String? {
        switch (base, value) {
        case ("int8", .integer(let number)), ("int4", .integer(let number)), ("int2", .integer(let number)):
            return isWithin(number) ? String(number) : nil
        case ("int8", .string(let text)), ("int4", .string(let text)), ("int2", .string(let text)):
            return isPlain(text) ? Int64(text).flatMap { isWithin($0) ? String($0) : nil } : nil
        case ("float8", .integer(let number)): return String(number)
        case ("float8", .number(let number)): return number.isFinite ? String(number) : nil
        case ("float8", .string(let text)):
            return isPlain(text) ? Double(text).flatMap { $0.isFinite ? text : nil } : nil
        case ("bool", .bool(let bool)): return String(bool)
        case ("bool", .string(let text)): return ["true", "false"].contains(text) ? text : nil
        case ("timestamptz", .string(let text)): return Self.isTime(text) ? text : nil
        case ("place_key", .string(let text)):
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int64(parts[1]),
                parts[0].utf8.allSatisfy({ $0 >= 0x61 && $0 <= 0x7a }),
                !parts[0].isEmpty
            else { return nil }
            return "(\(parts[0]),\(number))"
        case ("_int8", .array(let items)), ("_int4", .array(let items)):
            let numbers = items.compactMap { if case .integer(let number) = $0 { number } else { nil } }
            guard numbers.count == items.count,
                base == "_int8" || numbers.allSatisfy({ Int32(exactly: $0) != nil })
            else { return nil }
            return "{" + numbers.map(String.init).joined(separator: ",") + "}"
        case ("_text", .array(let items)):
            let texts = items.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return texts.count == items.count ? try? texts.postgresText : nil
        case ("text", .string(let text)), ("interval", .string(let text)): return text
        default: return nil
        }
    }

    /// An item of a list, as a query has it; nil if this is no list.
    func item(_ text: String) -> JSONValue? {
        switch base {
        case "_int8", "_int4":
            isPlain(text) ? Int64(text).map(JSONValue.integer) ?? .string(text) : .string(text)
        case "_text": .string(text)
        default: nil
        }
    }

    private func isWithin(_ number: Int64) -> Bool {
        switch base {
        case "int4": Int32(exactly: number) != nil
        case "int2": Int16(exactly: number) != nil
        default: true
        }
    }

    /// Digits, a sign, a point and an exponent: not the other forms that Swift reads.
    private func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 40
            && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || "+-.eE".utf8.contains($0) }
    }

    /// RFC 3339, section 5.6. Whether the date exists is PostgreSQL's to say.
    static func isTime(_ text: String) -> Bool {
        (text.wholeMatch(
            of:
                /[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})/
        )) != nil
    }
}
