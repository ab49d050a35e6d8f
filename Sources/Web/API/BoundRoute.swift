import FoundationEssentials
import HTTPServer
import Postgres
import Tokens

/// A route with its function as the database has it.
struct BoundRoute: Sendable {
    struct Parameter: Sendable {
        let name: String
        let type: String
        let base: String
        let isRequired: Bool
        let schema: Schema

        init(_ parameter: SQLFunction.Parameter) {
            name = parameter.name
            type = parameter.type
            base = parameter.base
            isRequired = !parameter.isOptional
            schema = Schema(parameter: parameter.name, type: parameter.type, base: parameter.base)
        }
    }

    let route: Route
    let function: SQLFunction
    /// What the client may give, in the path, the query or the body.
    let parameters: [Parameter]
    /// What the statement selects of each row.
    private let columns: String

    /// - Throws: ``WebAPIError`` if the function is not as the route has it.
    init(_ route: Route, _ function: SQLFunction?) throws(WebAPIError) {
        guard let function else {
            throw WebAPIError("the database has no function \(route.function): run 'darkroom migrate'")
        }
        self.route = route
        self.function = function
        let given = Set(route.callers + route.fixed.keys + [route.since].compactMap(\.self))
        for name in given.union(route.pathParameters)
        where !function.parameters.contains(where: { $0.name == name }) {
            throw WebAPIError(
                "the function \(route.function) has no argument \(name): run 'darkroom migrate'")
        }
        parameters = function.parameters.filter { !given.contains($0.name) }.map(
            Parameter.init)
        columns = Self.shown(function.columns).map(\.sql).joined(separator: ", ")
    }

    /// The columns that clients see, with the SQL of each: people only by their handles, bytes as base64.
    static func shown(_ columns: [SQLFunction.Column]) -> [(name: String, type: String, sql: String)] {
        columns.filter { !["uploader", "author", "cursor"].contains($0.name) }.map { column in
            let name = quotedIdentifier(column.name)
            let sql = column.type == "bytea" ? "encode(f.\(name), 'base64') as \(name)" : "f.\(name)"
            return (column.name, column.type, sql)
        }
    }

    var isPaged: Bool { parameters.contains { $0.name == "after" } }

    /// - Parameter asGeoJSON: whether each row is a feature instead of an object.
    func query(_ values: [String: String?], caller: Caller?, asGeoJSON: Bool) -> PostgresQuery {
        var text = PostgresQuery.StringInterpolation(literalCapacity: 256, interpolationCount: 16)
        if function.columns.isEmpty {
            // Of a function without a value, PostgreSQL selects an empty text.
            text.appendLiteral(
                function.value == "void"
                    ? "select null as row from " : "select to_json(f.value)::text as row from ")
        } else {
            let cursor = function.columns.contains { $0.name == "cursor" } ? "f.cursor" : "null"
            let row =
                asGeoJSON
                ? """
                json_build_object('type', 'Feature', 'geometry', case when f.latitude is not null then json_build_object(
                    'type', 'Point', 'coordinates', json_build_array(f.longitude, f.latitude)) end,
                    'properties', to_json(r))
                """ : "to_json(r)"
            text.appendLiteral("select \(row)::text as row, \(cursor) as cursor from ")
        }
        text.appendLiteral("darkroom.\(function.name)(")
        var isFirst = true
        func begin(_ name: String) {
            text.appendLiteral("\(isFirst ? "" : ", ")\(name) => ")
            isFirst = false
        }
        for parameter in function.parameters {
            if route.callers.contains(parameter.name) {
                begin(parameter.name)
                text.appendInterpolation(caller?.person)
            } else if parameter.name == route.since {
                guard let since = caller?.since else { continue }
                begin(parameter.name)
                text.appendLiteral("to_timestamp(")
                text.appendInterpolation(since.timeIntervalSince1970)
                text.appendLiteral(")")
            } else if let fixed = route.fixed[parameter.name] {
                guard let fixed else { continue }
                begin(parameter.name)
                text.appendLiteral(fixed)
            } else if let value = values[parameter.name] {
                begin(parameter.name)
                text.appendInterpolation(value)
            }
        }
        text.appendLiteral(function.columns.isEmpty ? ") as f (value)" : ") f")
        if !function.columns.isEmpty {
            text.appendLiteral(" cross join lateral (select \(columns)) r")
        }
        return PostgresQuery(stringInterpolation: text)
    }
}

/// The server and its database do not fit together.
package struct WebAPIError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
