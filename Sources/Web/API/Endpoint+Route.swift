import DarkroomClient
import HTTPServer
import Postgres

extension Endpoint {
    /// The endpoint of a route: it asks the database, and nothing else.
    init(_ bound: BoundRoute, _ client: DarkroomClient) {
        let route = bound.route
        let isReading = [.get].contains(route.method)
        self.init(
            method: route.method, path: route.path, name: route.function,
            tag: route.segments.first.map(String.init) ?? "", summary: route.summary,
            description: bound.function.comment, access: route.access, replies: Self.replies(of: bound),
            refusals: Self.refusals(of: bound)
        ) { request, path, caller in
            let values = try await bound.values(of: request, path: path)
            let asGeoJSON = bound.wantsGeoJSON(request)
            let query = bound.query(values, caller: caller, asGeoJSON: asGeoJSON)
            // Read on the writing server, a person's own rows are those that they have just written, and a post or comment that
            // an event tells of is there.
            let isOfOne = route.path.hasPrefix("/posts/{post_id}")
            let rows =
                isReading && route.access == .reading && !isOfOne
                ? try await client.read(query) : try await client.write(query)
            return try bound.response(rows, to: request, caller: caller, asGeoJSON: asGeoJSON)
        }
        let inPath = route.pathParameters
        for parameter in bound.parameters {
            let schema = parameter.schema
            if inPath.contains(parameter.name) {
                parameters.append(Parameter(parameter.name, in: .path, schema, isRequired: true))
            } else if !route.takesBody {
                parameters.append(
                    Parameter(parameter.name, in: .query, schema, isRequired: parameter.isRequired))
            }
        }
        if isReading {
            parameters.append(
                Parameter("If-None-Match", in: .header, .string(), "The ETag of what the client has"))
        }
        let members = bound.parameters.filter { !inPath.contains($0.name) }
        if route.takesBody, !members.isEmpty {
            isBodyRequired = members.contains(where: \.isRequired)
            bodies = [
                (
                    "application/json",
                    .object(
                        members.map {
                            ($0.name, bound.mayBeNull($0.name) ? .nullable($0.schema) : $0.schema, nil)
                        },
                        required: members.filter(\.isRequired).map(\.name), isClosed: true)
                )
            ]
        }
    }

    private static func replies(of bound: BoundRoute) -> [Reply] {
        let route = bound.route
        var reply = Reply(status: route.status, description: route.summary)
        switch route.reply {
        case .list: reply.content = [("application/json", .named(bound.listName))]
        case .one: reply.content = [("application/json", .named(bound.rowName))]
        case .value(let name):
            let value = Schema(result: name, type: bound.function.value)
            reply.content = [("application/json", .allRequired([(name, value, nil)]))]
        case .none: return [Reply(status: 204, description: "Done")]
        }
        if route.hasPositions {
            reply.content.append(
                (BoundRoute.geoJSON, .named(bound.isList ? bound.collectionName : bound.featureName)))
        }
        guard route.method == .get else { return [reply] }
        let tag = Parameter("ETag", in: .header, .string(), isRequired: true)
        reply.headers = [tag]
        if bound.isPaged { reply.headers.append(Parameter("Link", in: .header, .string(), "The next page")) }
        return [reply, Reply(status: 304, description: "The client has it", headers: [tag])]
    }

    private static func refusals(of bound: BoundRoute) -> Set<Problem.Code> {
        let refusals = Set(bound.function.errors.map(Problem.Code.init))
        return switch bound.route.reply {
        case .one, .none(orNotFound: true): refusals.union([.notFound])
        default: refusals
        }
    }
}
