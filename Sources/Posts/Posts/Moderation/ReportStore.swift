import FoundationEssentials
package import Postgres

/// Reports on posts and comments, and their weights.
package struct ReportStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The current weights of the reports on a post by the policy in force; nil if there is no such post.
    package func weigh(_ post: Int64) async throws -> (reports: [FiledReport], verdict: ModerationVerdict)? {
        try await pool.withConnection { connection in
            let rows = try await connection.query(
                """
                select state::text as state, darkroom.audience(post_id) as views, clock_timestamp() as moment
                from darkroom.posts where post_id = \(post)
                """)
            guard let row = rows.first else { return nil }
            let weighed = try await Self.weighed(
                .post(post), try PostState(name: try row.decode("state", as: String.self)),
                views: try row.decode("views", as: Int64?.self),
                by: try await ModerationPolicyStore.inForce(in: connection),
                at: try row.decode("moment", as: Date.self),
                in: connection)
            return (weighed.post.reports, weighed.verdict)
        }
    }

    /// What people have decided.
    static func standing(
        of subject: ModerationSubject, _ state: PostState, in transaction: PostgresConnection
    ) async throws -> ModerationCase.Standing {
        let rows = try await transaction.query(
            """
            select (select max(d.decided_at) from darkroom.moderation_decisions d
                    where d.post_id = \(subject.post) and d.comment_id = \(subject.comment) and d.decision in ('approve', 'restore')) as approved_at,
                   coalesce((select d.decider is not null
                                    or d.cause in ('urgent_report', 'uploader_record', 'look_alike', 'listed_hash', 'every_upload')
                             from darkroom.moderation_decisions d
                             where d.post_id = \(subject.post) and d.comment_id = \(subject.comment)
                               and (d.to_state <> d.from_state or d.cause in ('uploader_record', 'look_alike', 'listed_hash', 'every_upload'))
                             order by d.decision_id desc limit 1), false) as is_reserved,
                   exists (select from darkroom.appeals a
                           where a.post_id = \(subject.post) and a.comment_id = \(subject.comment)
                             and a.decision_id is null) as is_appealed
            """)
        if state == .hidden,
            try rows[0].decode("is_reserved", as: Bool.self) || rows[0].decode("is_appealed", as: Bool.self)
        {
            return .reserved
        }
        return try rows[0].decode("approved_at", as: Date?.self).map { .approved(at: $0) } ?? .open
    }

    /// The reports on a post or comment, oldest first.
    static func filedReports(
        on subject: ModerationSubject, in transaction: PostgresConnection
    ) async throws -> [FiledReport] {
        try await transaction.query(
            """
            select r.reporter, r.reason::text as reason, r.reporter_agreed, r.reporter_disagreed,
                   r.is_agreed is not null as is_judged, p.agreed as agreed_now, p.disagreed as disagreed_now,
                   -- A report that an approval did not see came after it, whenever its transaction began.
                   greatest(r.created_at, case when r.is_agreed is null then (
                       select max(d.decided_at) + interval '1 microsecond' from darkroom.moderation_decisions d
                       where d.post_id = r.post_id and d.comment_id = r.comment_id and d.decision in ('approve', 'restore')) end) as created_at,
                   coalesce(r.reporter_since, p.first_seen_at, r.created_at) as since,
                   (select count(*) from (select from darkroom.reports u
                                          where u.reporter = r.reporter and u.is_agreed is null limit 1000) u) as undecided
            from darkroom.reports r left join darkroom.people p on p.person = r.reporter
            where r.post_id = \(subject.post) and r.comment_id = \(subject.comment) order by created_at, r.reporter
            """
        ).map(FiledReport.init)
    }

    /// A post with its reports, their groups and their weights. Writes nothing.
    static func weighed(
        _ subject: ModerationSubject, _ state: PostState, views: Int64?, by policy: ModerationPolicy,
        at now: Date,
        in connection: PostgresConnection
    ) async throws -> (post: ModerationCase, verdict: ModerationVerdict) {
        var known = ModerationCase(
            state: state, standing: try await standing(of: subject, state, in: connection), views: views,
            reports: try await filedReports(on: subject, in: connection).map(policy.weakened))
        try await findGroups(among: &known.reports, of: subject, policy, in: connection)
        return (known, policy.verdict(on: known, at: now))
    }

    /// Finds groups of reporters who report the same posts and comments together, and stores them in the reports.
    ///
    /// Reads only the latest reports of the latest reporters, so that the work is bounded.
    ///
    /// - Parameter isReplay: whether to look only at what they had reported when the last of `reports` came. Otherwise what
    ///   they have reported since counts too: a gang's first victims are found with its later ones.
    static func findGroups(
        among reports: inout [FiledReport], of subject: ModerationSubject, _ policy: ModerationPolicy,
        isReplay: Bool = false, in transaction: PostgresConnection
    ) async throws {
        let latest = reports.suffix(reportersCompared)
        guard latest.count > 1 else { return }
        let until = isReplay ? latest.last?.at : nil
        let rows = try await transaction.query(
            """
            select w.reporter, o.posts
            from unnest(\(latest.map(\.reporter))::text[]) with ordinality as w (reporter, number)
            cross join lateral (
                -- Comments have numbers below 0 here.
                select array_agg(case h.comment_id when 0 then h.post_id else -h.comment_id end) as posts
                from (select r.post_id, r.comment_id from darkroom.reports r
                      where r.reporter = w.reporter and (r.post_id, r.comment_id) <> (\(subject.post), \(subject.comment))
                        and r.created_at <= coalesce(\(until)::timestamptz, 'infinity')
                      order by r.created_at desc limit \(postsCompared)) h) o
            where o.posts is not null order by w.number
            """)
        let histories = try rows.map {
            (
                reporter: try $0.decode("reporter", as: String.self),
                posts: try $0.decode("posts", as: [Int64].self)
            )
        }
        let groups = CoReporting.groups(
            histories, sharedPosts: policy.sharedPosts, sharedShare: policy.sharedShare)
        for index in reports.indices { reports[index].group = groups[reports[index].reporter] }
    }

    /// Stores what each report counts now, for the people who decide on it.
    static func keepWeights(
        _ weights: [ReportWeight], of reports: [FiledReport], on subject: ModerationSubject,
        in transaction: PostgresConnection
    ) async throws {
        try await transaction.query(
            """
            update darkroom.reports r
            set record_weight = w.record, account_weight = w.account, reason_weight = w.reason,
                group_number = w.in_group, counted = w.counted, disregarded = w.disregarded
            from unnest(\(reports.map(\.reporter))::text[], \(weights.map(\.record))::float8[],
                        \(weights.map(\.account))::float8[], \(weights.map(\.reason))::float8[],
                        \(weights.map(\.group))::integer[], \(weights.map(\.counted))::float8[],
                        \(weights.map { $0.disregarded?.rawValue })::text[])
                 as w (reporter, record, account, reason, in_group, counted, disregarded)
            where r.post_id = \(subject.post) and r.comment_id = \(subject.comment) and r.reporter = w.reporter
              and (r.record_weight, r.account_weight, r.reason_weight, r.group_number, r.counted, r.disregarded)
                  is distinct from (w.record, w.account, w.reason, w.in_group, w.counted, w.disregarded)
            """)
    }

    /// Marks the reports whose reporters were found to be a group, and queues the weighing of what those who were
    /// not known as one have hidden elsewhere. A mark stays, so that two posts do not queue each other for ever.
    static func weighElsewhere(
        newlyGrouped reports: [FiledReport], on subject: ModerationSubject, in transaction: PostgresConnection
    ) async throws {
        let grouped = reports.filter { $0.group != nil }.map(\.reporter)
        guard !grouped.isEmpty else { return }
        try await transaction.query(
            """
            with known as (
                update darkroom.reports set is_grouped = true
                where post_id = \(subject.post) and comment_id = \(subject.comment) and reporter = any (\(grouped)::text[])
                  and not is_grouped
                returning reporter)
            insert into darkroom.moderation_backlog (post_id, comment_id)
            select distinct r.post_id, r.comment_id
            from known k join darkroom.reports r using (reporter) join darkroom.reviews v using (post_id, comment_id)
            where (r.post_id, r.comment_id) <> (\(subject.post), \(subject.comment)) and r.is_agreed is null and v.cause = 'score' and v.appeal_id is null
            """)
    }

    private static let reportersCompared = 2000
    private static let postsCompared = 50
}

extension FiledReport {
    init(row: PostgresRow) throws {
        self.init(
            reporter: try row.decode("reporter", as: String.self),
            reason: try ReportGround(name: try row.decode("reason", as: String.self)),
            at: try row.decode("created_at", as: Date.self),
            accountSince: try row.decode("since", as: Date.self),
            agreed: try row.decode("reporter_agreed", as: Int.self),
            disagreed: try row.decode("reporter_disagreed", as: Int.self))
        isJudged = try row.decode("is_judged", as: Bool.self)
        undecided = try row.decode("undecided", as: Int.self)
        recordNow = try row.decode("agreed_now", as: Int?.self).map {
            ReporterRecord(agreed: $0, disagreed: try row.decode("disagreed_now", as: Int.self))
        }
    }
}
