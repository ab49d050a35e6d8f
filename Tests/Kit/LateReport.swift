package import Postgres

extension PostgresPool {
    /// Writes a report on a post in any state, as the transaction of somebody who still saw the post leaves it when it
    /// commits late. The reporter's account is a year old.
    package func reportLate(_ post: Int64, by reporter: String, reason: String = "spam") async throws {
        try await query(
            """
            with made as (
                insert into darkroom.reports (
                    post_id, reporter, reason, reporter_since, reporter_agreed, reporter_disagreed)
                select \(post), person, \(reason)::darkroom.report_reason, first_seen_at, agreed, disagreed
                from darkroom.note_person_seen(\(reporter), now() - interval '1 year')
                returning post_id)
            insert into darkroom.moderation_backlog (post_id) select post_id from made
            """)
    }
}
