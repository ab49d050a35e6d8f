public import FoundationEssentials
import Postgres

/// What became of a report, for the person who filed it (Regulation (EU) 2022/2065, article 16(5)).
public struct ReportDecision: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// Nobody has decided yet.
        case waiting
        /// The rules have hidden it until a person decides.
        case hidden
        /// A person has removed it.
        case removed
        /// A person found nothing wrong with it.
        case kept
        /// It expired or was deleted before anyone decided.
        case gone
    }

    public let post: Int64
    /// The comment below the post; nil for a report on the post itself.
    public let comment: Int64?
    public let reason: ReportReason
    public let reportedAt: Date
    public let outcome: Outcome
    /// Nil while nobody has decided.
    public let decidedAt: Date?
    /// Whether rules alone decided.
    public let isAutomatic: Bool
    /// What the reporter can do about the decision, in the words of the policy at that time.
    public let redress: String?
}

extension DarkroomClient {
    /// What became of a person's own reports, latest first.
    ///
    /// - Parameters:
    ///   - atMost: how many reports, 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a cursor that does not belong to this list.
    public func decisions(
        onReportsBy reporter: String, atMost: Int = 20, after: PageCursor? = nil
    ) async throws -> Page<ReportDecision> {
        let reports = try await rows(
            """
            select post_id, comment_id, reason, reported_at, decision, decided_at, is_automatic, redress, cursor
            from darkroom.report_decisions(\(reporter), at_most => \(Int64(atMost)), after => \(after?.text))
            """
        ) { row in
            let decision = ReportDecision(
                post: try row.decode("post_id"), comment: try row.decode("comment_id"),
                reason: try row.known("reason"),
                reportedAt: try row.decode("reported_at"), outcome: try row.known("decision"),
                decidedAt: try row.decode("decided_at"), isAutomatic: try row.decode("is_automatic"),
                redress: try row.decode("redress"))
            return (decision, PageCursor(try row.decode("cursor")))
        }
        return Page(items: reports.map(\.0), next: reports.last?.1)
    }
}
