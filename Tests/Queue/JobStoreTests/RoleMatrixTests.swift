import JobStore
import Postgres
import TestKit
import Testing

/// What every role may do with every table, view, sequence and function.
///
/// Rights have PostgreSQL's letters: `r` select, `a` insert, `w` update, `d` delete, `D` truncate, `x` references,
/// `t` trigger, `U` usage of a sequence, `X` execute. Rights that a role inherits count too.
@Suite("The rights of roles", .timeLimit(.minutes(15)))
struct RoleMatrixTests {
    /// Tables and views of which workers and operators have these rights; all others have none.
    static let tables: [(names: String, worker: String, operator: String)] = [
        // Rules, which operators make and workers follow. Policies are only added to.
        ("expiry_policies location_policies moderation_policies posting_policies", "r", "raw"),
        ("kind_policies pauses settings hash_lists listed_hashes", "r", "rawd"),
        // Who is let into the console.
        ("console_invitations console_sessions", "r", "rawd"),
        // What operators did. A function of the owner notes progress.
        ("operator_actions", "r", "ra"),
        // The erasure of a person removes their limits.
        ("fair_keys", "rd", "rawd"),
        // Triggers protect its rows; anyone who locks one needs the right to update it.
        ("locks", "rawd", "raw"),
        // What migrations write.
        ("job_kinds schema_files schema_definitions schema_release", "r", "r"),
        // What operators change to run the queue and to decide on posts.
        ("jobs finished_jobs job_attempts fair_key_paces schedules workers event_consumers", "rawd", "rawd"),
        ("posts reports people reviews appeals removals removed_hashes post_exact_locations", "rawd", "rawd"),
        ("activities activity_names post_erasures person_erasures retired_media", "rawd", "rawd"),
        // Records, to which operators only add.
        ("replays moderation_decisions moderation_evidence place_corrections outbox", "rawd", "ra"),
        // What only jobs and the functions of apps write.
        (
            "uploads renditions votes comments comment_votes counter_changes post_counters post_edits event_log moderation_backlog stack_changes untold_likes",
            "rawd", "r"
        ),
        ("feed ranks rating_averages map_changes map_tiles lanes leases queues worker_queues", "rawd", "r"),
        (
            "drained_workers unpublished_media hash_refusals inboxes inbox_entries inbox_progress blocks bars given_up_names follows intake",
            "rawd", "r"
        ),
        ("all_attempts all_jobs", "rawd", "r"),
        // The secret of the handles of authors.
        ("handle_keys", "", ""),
        // The partitions that exist when the rights are granted. Queries go to the table.
        ("finished_jobs_* job_attempts_* event_log_*", "rawd", "r"),
    ]

    static let readersFunctions = """
        activities activity cluster_location cluster_posts comment_details latest_posts map_clusters map_photos may_show near_and_good_posts nearest_posts
        oldest_waiting_s people_by_handle post_comments post_details posting_rules posts_by_id posts_within queue_depth top_posts uploader_statistics venue_posts
        """
    static let appsFunctions = """
        ack_events add_comment appeal_comment appeal_post author_comments bar_of block_author blocked_authors cancel_job check_comment check_display_name check_upload choose_inbox_events count_unread count_views
        create_activity delete_comment delete_post edit_post enqueue_upload enqueue_uploads erase_person follow followed_posts follows inbox
        inbox_events job_status media_identity post_followers publish_draft read_events read_inbox report_comment report_decisions report_post set_display_name
        unblock_author unfollow update_activity upload_quota uploader_posts vote_on_comment voted_posts
        vote_on_post
        """

    static let moderatorsFunctions =
        "bar_of bar_person barred_people bars_of comment_to_review comments_to_review decide_on_comment decide_on_post decide_on_posts lift_bar may_review post_to_review posts_to_review"

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }

    private static let rightsOfTables = Dictionary(
        uniqueKeysWithValues: tables.flatMap { group in words(group.names).map { ($0, group) } })

    /// The rights that a role should have; nil if the test does not know the object.
    private static func expected(_ object: Object, _ role: String) -> String? {
        switch object.kind {
        case "table":
            // finished_jobs_20260131 and finished_jobs_default
            let name = object.name.replacing(#/_(\d{8}|default)$/#, with: "_*")
            guard let group = rightsOfTables[name] else { return nil }
            return role == "worker" ? group.worker : role == "operator" ? group.operator : ""
        case "sequence":
            return role == "worker" ? "rwU" : role == "operator" ? "rU" : ""
        default:
            let isReaders = words(readersFunctions).contains(object.name)
            return switch role {
            case "worker", "operator": "X"
            case "api": isReaders || words(appsFunctions).contains(object.name) ? "X" : ""
            case "moderator": words(moderatorsFunctions).contains(object.name) ? "X" : ""
            case "reader": isReaders ? "X" : ""
            default: ""
            }
        }
    }

    private struct Object: Hashable {
        var kind: String
        var name: String
    }

    /// The rights of each role on each object.
    private static func found(_ database: QueueDatabase) async throws -> [Object: [String: String]] {
        let rows = try await database.pool.query(
            """
            with roles (role, grantee) as (
                select r, case r when 'public' then r else 'darkroom_' || r end::name
                from unnest(array['public', 'api', 'reader', 'moderator', 'worker', 'operator']) r),
            rights (kind, letter, privilege, turn) as (
                select k, substr(l, i, 1), p[i], i
                from (values
                    ('table', 'rawdDxt', array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']),
                    ('sequence', 'rwU', array['select', 'update', 'usage']),
                    ('function', 'X', array['execute'])) v (k, l, p), generate_series(1, length(l)) i),
            objects (kind, name, number) as (
                select case relkind when 'S' then 'sequence' else 'table' end, relname::text, oid from pg_class
                where relnamespace = 'darkroom'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
                union all
                select 'function', proname::text, oid from pg_proc where pronamespace = 'darkroom'::regnamespace)
            select o.kind, o.name, r.role, coalesce(string_agg(p.letter, '' order by p.turn) filter (where
                case o.kind when 'table' then has_table_privilege(r.grantee, o.number, p.privilege)
                            when 'sequence' then has_sequence_privilege(r.grantee, o.number, p.privilege)
                            else has_function_privilege(r.grantee, o.number, p.privilege) end), '') as rights
            from objects o cross join roles r join rights p using (kind)
            group by o.kind, o.name, o.number, r.role
            """)
        return try rows.reduce(into: [:]) { found, row in
            let object = Object(
                kind: try row.decode("kind", as: String.self), name: try row.decode("name", as: String.self))
            found[object, default: [:]][try row.decode("role", as: String.self)] =
                try row.decode("rights", as: String.self)
        }
    }

    private static func compare(_ found: [Object: [String: String]]) {
        for (object, rights) in found {
            for (role, rights) in rights {
                guard let expected = expected(object, role) else {
                    Issue.record(
                        "put the \(object.kind) \(object.name) into a group of RoleMatrixTests.tables")
                    break
                }
                #expect(rights == expected, "\(role) on the \(object.kind) \(object.name)")
            }
        }
    }

    @Test("are those of this table, for every object of the schema, and stay so when they are granted again")
    func matrix() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            let found = try await Self.found(database)
            Self.compare(found)
            // A name that nothing has any more would hide a mistake later.
            let names = Set(found.keys.map { $0.name.replacing(#/_(\d{8}|default)$/#, with: "_*") })
            let known =
                Self.rightsOfTables.keys
                + Self.words(
                    Self.readersFunctions + " " + Self.appsFunctions + " " + Self.moderatorsFunctions)
            #expect(Set(known).subtracting(names) == [])
            // What somebody else has granted is taken back.
            for grantee in [
                "public", "darkroom_api", "darkroom_reader", "darkroom_moderator", "darkroom_worker",
                "darkroom_operator",
            ] {
                for objects in ["tables", "sequences", "functions"] {
                    try await database.pool.query(
                        "grant all on all \(unescaped: objects) in schema darkroom to \(unescaped: grantee)")
                }
            }
            try await database.pool.query("select darkroom.grant_roles()")
            #expect(try await Self.found(database) == found)
        }
    }

    @Test("are not widened for single columns, and allow only the owner to create something in the schema")
    func elsewhere() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            func texts(_ query: PostgresQuery) async throws -> [String] {
                try await database.pool.query(query).map { try $0.decode("text", as: String.self) }
            }
            #expect(
                try await texts(
                    """
                    select attrelid::regclass || '.' || attname as text from pg_attribute join pg_class c on c.oid = attrelid
                    where relnamespace = 'darkroom'::regnamespace and attacl is not null
                    """) == [])
            #expect(
                try await texts(
                    """
                    select r.role || ' ' || p as text
                    from unnest(array['public', 'darkroom_api', 'darkroom_reader', 'darkroom_moderator', 'darkroom_worker', 'darkroom_operator'])
                             with ordinality r (role, turn), unnest(array['usage', 'create']) p
                    where has_schema_privilege(r.role::name, 'darkroom', p) order by r.turn
                    """)
                    == ["api", "reader", "moderator", "worker", "operator"].map { "darkroom_\($0) usage" })
            #expect(
                try await texts(
                    """
                    select c.relname::text as text from pg_class c where c.relnamespace = 'darkroom'::regnamespace
                      and c.relkind in ('r', 'p', 'v', 'S') and pg_get_userbyid(c.relowner) <> 'darkroom_owner'
                    """) == [])
        }
    }
}
