import DarkroomClient
import HTTPServer
import Postgres
import Tokens

/// What clients watch: how far their uploads are, and how much is unread.
final class LiveEndpoints: Sendable {
    private let client: DarkroomClient
    private let uploads: LiveValues<Int64>
    private let unread: LiveValues<String>

    init(_ client: DarkroomClient) {
        self.client = client
        uploads = LiveValues(event: "status") { jobs in
            let rows = try await client.write(
                """
                select j as job_id, coalesce(to_json(s), json_build_object('job_id', j, 'state', null))::text as json,
                       s.job_id is null or s.finished_at is not null as is_final
                from unnest(\(jobs)::bigint[]) j left join lateral darkroom.job_status(j) s on true
                """)
            return try values(rows) { try $0.decode("job_id") }
        }
        unread = LiveValues(event: "unread") { people in
            let rows = try await client.write(
                """
                select p.person, json_build_object('unread', darkroom.count_unread(p.person))::text as json, false as is_final
                from unnest(\(people)::text[]) p (person)
                """)
            return try values(rows) { try $0.decode("person") }
        }
        @Sendable func values<Key>(
            _ rows: PostgresRows, _ key: (PostgresRow) throws -> Key
        ) throws -> [Key: LiveValues<Key>.Value] {
            var values: [Key: LiveValues<Key>.Value] = [:]
            for row in rows {
                values[try key(row)] = LiveValues<Key>.Value(
                    json: try row.decode("json"), isFinal: try row.decode("is_final"))
            }
            return values
        }
    }

    func wake() {
        uploads.wake()
        unread.wake()
    }

    func stop() {
        uploads.stop()
        unread.stop()
    }

    /// - Parameter status: the present one, as JSON.
    func stream(job: Int64, status: String, isFinal: Bool) -> HTTPResponse {
        Self.response(uploads.watch(job, present: .init(json: status, isFinal: isFinal)))
    }

    private static func response(_ stream: HTTPEventStream) -> HTTPResponse {
        HTTPResponse(
            headers: [
                "Content-Type": "text/event-stream", "Cache-Control": "no-store",
                // nginx would keep events back until its buffer is full.
                "X-Accel-Buffering": "no",
            ], content: .events(stream))
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get, path: "/me/inbox/live", name: "watch_unread", tag: "me",
                summary: "Follow how much is unread: an event for each change", access: .person,
                replies: [
                    Endpoint.Reply(
                        status: 200, description: "Events named unread, each with {\"unread\": number}",
                        content: [("text/event-stream", .string())])
                ]
            ) { [unread] _, _, caller in
                guard let caller else { throw Problem(.unauthenticated, "Send a token.") }
                return Self.response(unread.watch(caller.person, present: nil))
            }
        ]
    }
}
