import HTTPServer

/// The description of the API (OpenAPI 3.1), made from the endpoints themselves.
struct OpenAPIDocument {
    let json: String

    /// - Parameter schemas: the components that the endpoints name. What comes twice is the same.
    init(_ endpoints: [Endpoint], schemas: [(name: String, schema: Schema)], version: String) {
        var paths: [(path: String, operations: [(String, String)])] = []
        for endpoint in endpoints {
            let path = "/\(APIServer.root)" + endpoint.path.replacing("...}", with: "}")
            let operation = (endpoint.method.rawValue.lowercased(), Self.operation(endpoint))
            if let index = paths.firstIndex(where: { $0.path == path }) {
                paths[index].operations.append(operation)
            } else {
                paths.append((path, [operation]))
            }
        }
        var names: Set<String> = []
        let schemas = schemas.filter { names.insert($0.name).inserted }
        let problems = Dictionary(grouping: Problem.Code.allCases, by: \.status).sorted { $0.key < $1.key }
        json = JSONText.object([
            ("openapi", "\"3.1.0\""),
            (
                "info",
                JSONText.object([
                    ("title", "\"Darkroom\""), ("version", JSONText.string(version)),
                    (
                        "description",
                        JSONText.string(
                            "Upload photos, follow how they become posts, and read feeds, boards and the map."
                        )
                    ), ("license", "{\"name\":\"Apache-2.0\",\"identifier\":\"Apache-2.0\"}"),
                ])
            ),
            ("servers", "[{\"url\":\"/\"}]"),
            ("paths", JSONText.object(paths.map { ($0.path, JSONText.object($0.operations)) })),
            (
                "components",
                JSONText.object([
                    ("schemas", JSONText.object(schemas.map { ($0.name, $0.schema.json) })),
                    ("responses", JSONText.object(problems.map { ("\($0.key)", Self.reply($0.value)) })),
                    ("securitySchemes", JSONText.object([("token", Self.token)])),
                ])
            ),
        ])
    }

    private static let token = JSONText.object([
        ("type", "\"http\""), ("scheme", "\"bearer\""),
        (
            "description",
            JSONText.string(
                "A token of a person, or the API key of a server, which names the person in Darkroom-Person.")
        ),
    ])

    /// The reply of one status, which any of these codes may have.
    private static func reply(_ codes: [Problem.Code]) -> String {
        reply(
            Endpoint.Reply(
                status: codes[0].status, description: codes.map(\.title).joined(separator: ". "),
                content: [("application/problem+json", .named("Problem"))],
                headers: codes.flatMap(\.headers)))
    }

    private static func operation(_ endpoint: Endpoint) -> String {
        var members: [(String, String)] = [
            ("operationId", JSONText.string(endpoint.name)),
            ("tags", JSONText.array([JSONText.string(endpoint.tag)])),
            ("summary", JSONText.string(endpoint.summary)),
        ]
        if let description = endpoint.description {
            members.append(("description", JSONText.string(description)))
        }
        members.append(
            (
                "security", endpoint.access == .person ? "[{\"token\":[]}]" : "[{},{\"token\":[]}]"
            ))
        if !endpoint.parameters.isEmpty {
            members.append(("parameters", JSONText.array(endpoint.parameters.map(parameter))))
        }
        if !endpoint.bodies.isEmpty {
            members.append(
                (
                    "requestBody",
                    JSONText.object([
                        ("required", "\(endpoint.isBodyRequired)"),
                        ("content", content(endpoint.bodies.map { ($0.type, $0.schema) })),
                    ])
                ))
        }
        let statuses = Set(endpoint.problems.map(\.status)).sorted()
        members.append(
            (
                "responses",
                JSONText.object(
                    endpoint.replies.map { ("\($0.status)", reply($0)) }
                        + statuses.map { ("\($0)", "{\"$ref\":\"#/components/responses/\($0)\"}") })
            ))
        return JSONText.object(members)
    }

    private static func reply(_ reply: Endpoint.Reply) -> String {
        var members = [("description", JSONText.string(reply.description))]
        if !reply.headers.isEmpty {
            members.append(("headers", JSONText.object(reply.headers.map { ($0.name, value($0)) })))
        }
        if !reply.content.isEmpty {
            members.append(("content", content(reply.content.map { ($0.type, $0.schema) })))
        }
        return JSONText.object(members)
    }

    private static func content(_ content: [(name: String, schema: Schema)]) -> String {
        JSONText.object(content.map { ($0.name, JSONText.object([("schema", $0.schema.json)])) })
    }

    private static func parameter(_ parameter: Endpoint.Parameter) -> String {
        value(
            parameter,
            [
                ("name", JSONText.string(parameter.name)),
                ("in", JSONText.string(parameter.place.rawValue)),
            ])
    }

    /// What a parameter and a header of a reply have in common.
    private static func value(_ parameter: Endpoint.Parameter, _ members: [(String, String)] = []) -> String {
        let description = parameter.description.map { [("description", JSONText.string($0))] } ?? []
        return JSONText.object(
            members + [("required", "\(parameter.isRequired)"), ("schema", parameter.schema.json)]
                + description)
    }
}
