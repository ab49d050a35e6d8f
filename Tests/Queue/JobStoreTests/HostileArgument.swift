import Postgres
import TestKit

/// One argument of one public function, or one field of an argument that is a list of rows.
struct HostileArgument: Sendable {
    let function: String
    let name: String
    let values: [HostileValue]
    let legalCall: String
    let callWith: @Sendable (String) -> String
}

extension HostileArgument {
    /// What makes a call reach the function's work. A new required argument needs a line.
    static let legal: [String: String] = [
        "activity": "'picnic'", "author": "'user-9'", "author_handle": "repeat('0', 24)",
        "author_handles": "'{}'", "board": "'hot'", "body": "'Hello'",
        "caption": "'At dawn'", "category": "'food'", "cluster_id": "1", "comment_id": "1",
        "consumer": "'push'", "decision": "'approve'", "east": "-122", "follow_id": "1",
        "headline": "'The ferry'",
        "job_id": "1", "latitude": "47.6",
        "longitude": "-122.3",
        "media_key": "'media/a'", "moderator": "'olga'", "name": "'Zoë'", "north": "48",
        "original_bytes": "1",
        "original_key": "'originals/x'",
        "original_sha256": "repeat('ab', 32)", "person": "'user-9'", "post_id": "1", "post_ids": "'{1}'",
        "radius_m": "5000", "reason": "'spam'", "reporter": "'user-9'", "south": "47", "text": "'It is mine'",
        "up_to": "0", "venue_id": "'v-1'",
        "uploader": "'user-2'", "vote": "'like'", "viewer": "'user-9'", "voter": "'user-9'", "west": "-123",
        "zoom": "10",
    ]

    /// Given in every call of a function that has them, because some arguments count only with others.
    static let always: Set<String> = ["latitude", "longitude", "radius_m"]

    /// Every argument of every public function that there is, from the catalogue.
    static func all(in database: QueueDatabase) async throws -> [HostileArgument] {
        let rows = try await database.pool.query(
            """
            select p.proname::text as function, a.name, a.number > p.pronargs - p.pronargdefaults as is_optional,
                   darkroom_test.base_type(a.type) as base, format_type(a.type, null) as type,
                   coalesce(t.typtype = 'e', false) as is_enum,
                   coalesce(darkroom_test.fields(
                       case when a.name = 'uploads' then 'darkroom.new_upload'::regtype when t.typelem <> 0 then t.typelem else t.oid end), '') as fields
            from darkroom.public_functions() f
            join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace
            cross join lateral unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs]) with ordinality a (type, name, number)
            join pg_type t on t.oid = a.type
            order by 1, a.number
            """)
        var functions: [String: [(name: String, isOptional: Bool)]] = [:]
        for row in rows {
            functions[try row.decode("function", as: String.self), default: []].append(
                (try row.decode("name", as: String.self), try row.decode("is_optional", as: Bool.self)))
        }
        return try rows.flatMap { row -> [HostileArgument] in
            let function = try row.decode("function", as: String.self)
            let name = try row.decode("name", as: String.self)
            let type = try row.decode("type", as: String.self)
            let given = functions[function, default: []]
                .filter { !$0.isOptional || always.contains($0.name) }
                .map { ($0.name, $0.name == "uploads" ? upload([:]) : legal[$0.name]) }
            if let unknown = given.first(where: { $0.1 == nil }) {
                throw Unknown(what: "\(function)(\(unknown.0))")
            }
            let others = given.filter { $0.0 != name }.map { "\($0.0) => \($0.1 ?? "")" }
            let legalCall =
                "darkroom.\(function)(\(given.map { "\($0.0) => \($0.1 ?? "")" }.joined(separator: ", ")))"
            let callWith: @Sendable (String) -> String = {
                "darkroom.\(function)(\((others + ["\(name) => \($0)"]).joined(separator: ", ")))"
            }
            func made(
                _ field: String?, _ values: [HostileValue], _ call: @escaping @Sendable (String) -> String
            ) -> HostileArgument {
                HostileArgument(
                    function: function, name: field.map { "\(name).\($0)" } ?? name, values: values,
                    legalCall: legalCall,
                    callWith: call)
            }
            if try row.decode("is_enum", as: Bool.self) {
                return [made(nil, [.init("null", "null")], callWith)]
            }
            if name == "uploads" {
                let fields = try row.decode("fields", as: String.self).split(separator: ",").map { field in
                    let parts = field.split(separator: ":").map(String.init)
                    return (name: parts[0], type: parts[1])
                }
                let lists: [HostileValue] = [
                    .init("nothing", "'[]'"), .init("a list of null", "'[null]'"),
                    .init("a list of lists", "jsonb_build_array(\(upload([:])))"),
                    .init(
                        "an unknown field",
                        "jsonb_build_array(\(record([:])) || jsonb_build_object(repeat('x', 1000000), 1))"),
                    .init("10,001", "(select jsonb_agg(\(record([:]))) from generate_series(1, 10001))"),
                ]
                return try [made(nil, lists + (HostileValue.values(ofType: "jsonb") ?? []), callWith)]
                    + fields.map { field in
                        guard let values = HostileValue.values(ofType: field.type) else {
                            throw Unknown(what: field.type)
                        }
                        return made(field.name, values) { callWith(upload([field.name: $0])) }
                    }
            }
            if try row.decode("base", as: String.self).hasSuffix("place_key") {
                let values: [HostileValue] = [
                    .init("null", "null"), .init("nulls", "row(null, null)::darkroom.place_key"),
                    .init("no number", "row('city', null)::darkroom.place_key"),
                    .init("no level", "row(repeat('x', 10000000), 1)::darkroom.place_key"),
                    .init("the largest", "row('city', 9223372036854775807)::darkroom.place_key"),
                    .init("the least", "row('place', -9223372036854775808)::darkroom.place_key"),
                ]
                return [made(nil, values, callWith)]
            }
            guard let values = HostileValue.values(ofType: try row.decode("base", as: String.self)) else {
                throw Unknown(what: "\(function)(\(name) \(type))")
            }
            return [made(nil, values, callWith)]
        }
    }

    struct Unknown: Error { let what: String }

    private static func record(_ fields: [String: String]) -> String {
        let all = [
            "uploader": "'user-2'", "original_key": "'originals/x'", "original_sha256": "repeat('ab', 32)",
            "original_bytes": "1",
            "latitude": "47.6", "longitude": "-122.3",
        ].merging(fields) { $1 }
        let pairs = all.keys.sorted().map { "'\($0)', \(all[$0] ?? "null")" }.joined(separator: ", ")
        return "jsonb_build_object(\(pairs))"
    }

    private static func upload(_ fields: [String: String]) -> String {
        "jsonb_build_array(\(record(fields)))"
    }

    /// Reads the catalogue: the type beneath domains, and the fields of a row with their types.
    static let helpers = """
        create schema darkroom_test;
        create function darkroom_test.base_type(of_type oid) returns text language sql as $$
            with recursive bases as (
                select of_type as oid union all
                select t.typbasetype from bases b join pg_type t on t.oid = b.oid where t.typtype = 'd')
            select format_type(b.oid, null) from bases b join pg_type t on t.oid = b.oid where t.typtype <> 'd'
        $$;
        create function darkroom_test.fields(of_type oid) returns text language sql as $$
            select string_agg(a.attname || ':' || darkroom_test.base_type(a.atttypid), ',' order by a.attnum)
                filter (where not exists (select from pg_type e where e.oid = a.atttypid and e.typtype = 'e'))
            from pg_type t join pg_attribute a on a.attrelid = t.typrelid where t.oid = of_type and t.typrelid <> 0 and a.attnum > 0
        $$;
        """
}
