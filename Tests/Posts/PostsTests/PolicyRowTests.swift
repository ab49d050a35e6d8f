import Postgres
import Posts
import TestKit
import Testing

@Suite("Moderation policies", .timeLimit(.minutes(15)))
struct PolicyRowTests {
    @Test("start with the defaults of the code")
    func defaults() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var policy = try await ModerationPolicyStore(pool: database.pool).inForce()
            let expected = ModerationPolicy(version: 1)
            (policy.note, policy.createdAt) = (expected.note, expected.createdAt)
            #expect(policy == expected)
        }
    }

    @Test("are appended with every value, and the latest is in force")
    func appending() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = ModerationPolicyStore(pool: database.pool)
            let made = try await store.set(note: "strict") { policy in
                for parameter in PolicyParameter.all {
                    switch parameter.value {
                    case .number(let path): policy[keyPath: path] = policy[keyPath: path] * 0.5 + 0.5
                    case .whole(let path): policy[keyPath: path] += 1
                    case .span(let path): policy[keyPath: path] += .milliseconds(1500)
                    case .reasons(let path): policy[keyPath: path] = [.violence, .other]
                    case .text(let path): policy[keyPath: path] = "“other” \(parameter.name)"
                    }
                }
            }
            #expect(made.version == 2 && made.note == "strict")
            #expect(try await store.inForce() == made)
            #expect(try await store.all().map(\.version) == [2, 1])
            #expect(made.hideThreshold == 3 && made.burstWindow == .milliseconds(601_500))
            #expect(made.terms == "“other” terms" && made.urgentReasons == [.violence, .other])
        }
    }

    @Test(
        "refuse invalid values, with a constraint that says so",
        arguments: [
            ("hide_threshold", "0", "hide_threshold_is_positive"),
            ("restore_share", "1", "restore_share_is_from_0_to_below_1"),
            ("record_ceiling", "0.9", "record_ceiling_is_1_to_100"),
            ("look_alike_distance", "8", "look_alike_distance_is_0_to_7"),
            ("account_half_life", "'0'", "account_half_life_is_positive"),
            ("shared_share", "0", "shared_share_is_above_0_to_1"),
        ])
    func ranges(column: String, value: String, constraint: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    """
                    insert into darkroom.moderation_policies (\(unescaped: column), note\(unescaped: column == "hide_threshold" ? "" : ", hide_threshold"))
                    values (\(unescaped: value), 'x'\(unescaped: column == "hide_threshold" ? "" : ", 5"))
                    """)
            }
            #expect(error?.sqlState == .checkViolation && error?.constraint == constraint)
        }
    }

    @Test(
        "and decisions and their evidence are never changed or deleted",
        arguments: ["moderation_policies", "moderation_decisions", "moderation_evidence"],
        [
            "update darkroom.# set \"policy_version\" = 1", "delete from darkroom.#",
            "truncate darkroom.# cascade",
        ])
    func appendOnly(table: String, statement: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports)
                values (1, 'hide', 1, 1)
                """)
            try await database.pool.query(
                """
                insert into darkroom.moderation_evidence (
                    decision_id, reporter, reason, reported_at, account_since, agreed, disagreed, record_weight,
                    account_weight, reason_weight, counted)
                select decision_id, 'eve', 'spam', now(), now(), 0, 0, 1, 1, 1, 1 from darkroom.moderation_decisions
                """)
            let column = ["moderation_policies": "version", "moderation_evidence": "decision_id"][table]
            let sql = statement.replacing("#", with: table).replacing(
                "policy_version", with: column ?? "policy_version"
            ).replacing("set \"version\" = 1", with: "set note = 'x'")
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(PostgresQuery(unescaped: sql))
            }
            #expect(error?.sqlState == "23001", "\(sql)")
        }
    }
}
