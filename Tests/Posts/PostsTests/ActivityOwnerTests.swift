import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Who may change an activity", .timeLimit(.minutes(15)))
struct ActivityOwnerTests {
    @Test("is an operator for those of operators, and also any login of an app for those of apps")
    func makers() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.pool.query("insert into darkroom.activities (activity) values ('written')")
            try await database.pool.query(
                "select darkroom.create_activity('created', aliases => array['made'])")
            // An app whose login is also an operator's.
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                try await app.query("select darkroom.create_activity('by an app')")
                for (name, state) in [
                    ("written", "42501"), ("created", "42501"), ("MADE", "42501"), ("by an app", nil),
                    ("unknown", nil),
                ] {
                    do {
                        let rows = try await app.query(
                            "select darkroom.update_activity(\(name), ends_at => '2030-01-01Z') as is_known")
                        #expect(state == nil, "\(name)")
                        #expect(try rows[0].decode("is_known", as: Bool.self) == (name != "unknown"))
                    } catch let error as PostgresError {
                        #expect(error.sqlState?.description == state, "\(name)")
                        #expect(error.constraint == "activity_is_of_an_operator", "\(name)")
                    }
                }
                try await database.pool.query(
                    """
                    grant darkroom_operator to \(unescaped: try await database.login(.api))
                    """)
                try await app.query("select darkroom.update_activity('created', ends_at => '2031-01-01Z')")
                // While it has set the role of an app, it is an app.
                try await app.query("set role darkroom_api")
                #expect(
                    try await app.failure("select darkroom.update_activity('created', aliases => '{}')")
                        == .insufficientPrivilege)
            }
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', activity, extract(year from new_ends_at at time zone 'UTC'), by_operator)
                    from darkroom.activities order by activity
                    """) == ["by an app 2030 f", "created 2031 t", "written t"])
            try await database.pool.query(
                "select darkroom.update_activity('by an app', ends_at => 'infinity')")
        }
    }
}
