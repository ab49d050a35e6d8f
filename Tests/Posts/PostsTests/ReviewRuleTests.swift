import Postgres
import Posts
import TestKit
import Testing

@Suite("The rules of reviews", .timeLimit(.minutes(15)))
struct ReviewRuleTests {
    /// What a decision finds: the arguments of `darkroom.review_outcome`.
    struct Found: Hashable {
        var state: PostState
        var isAppealed = false
        var isOver = false
        var isListed = false
        var isLeaving = false
        var isRemoved = false
        var isUndecided = false
    }

    private static let decisions = ["approve", "remove", "restore"]

    private static let all = PostState.allCases.flatMap { state in
        (0..<64).map { bits in
            Found(
                state: state, isAppealed: bits & 1 > 0, isOver: bits & 2 > 0, isListed: bits & 4 > 0,
                isLeaving: bits & 8 > 0, isRemoved: bits & 16 > 0,
                isUndecided: bits & 32 > 0)
        }
    }

    private static func outcome(
        _ decision: String, _ found: Found, _ database: QueueDatabase
    ) async throws -> PostState? {
        try await database.texts(
            """
            select darkroom.review_outcome(
                \(decision), \(found.state.rawValue)::darkroom.post_state, \(found.isAppealed), \(found.isOver),
                \(found.isListed), \(found.isLeaving), \(found.isRemoved), \(found.isUndecided))::text
            """)[0].flatMap(PostState.init(rawValue:))
    }

    /// The same rules, one sentence each.
    private static func expected(_ decision: String, _ found: Found) -> PostState? {
        let visible: PostState = found.isOver ? .expired : .published
        switch (decision, found.state) {
        case ("approve", .held), ("approve", .hidden): return visible
        case ("approve", .published), ("approve", .expired): return found.isListed ? found.state : nil
        case ("approve", .removed): return found.isUndecided ? .removed : nil
        case ("remove", .held), ("remove", .hidden), ("remove", .published): return .removed
        case ("remove", .expired): return found.isListed ? .removed : nil
        case ("remove", .removed):
            return found.isUndecided || found.isAppealed && (found.isRemoved || !found.isLeaving)
                ? .removed : nil
        case ("restore", .removed): return found.isLeaving ? nil : visible
        default: return nil
        }
    }

    @Test("lead from one state to another, or nowhere, in every situation", arguments: decisions)
    func outcomes(decision: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for found in Self.all {
                #expect(
                    try await Self.outcome(decision, found, database) == Self.expected(decision, found),
                    "\(found)")
            }
        }
    }

    @Test(
        "respect another moderator's recent decision, unless it was seen",
        arguments: [
            ("olga", 3.0, false, false), ("piet", 3, false, true), ("piet", 299, false, true),
            ("piet", 301, false, false), ("piet", 3, true, false), ("piet", 9000, true, false),
        ])
    func conflicts(reviewer: String, secondsAgo: Double, isSeen: Bool, isConflict: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            try await database.pool.query(
                """
                insert into darkroom.moderation_decisions (
                    post_id, decision, policy_version, reports, decider, decided_at)
                values (\(post), 'approve', 1, 0, \(reviewer), clock_timestamp() - make_interval(secs => \(secondsAgo)))
                """)
            let decision = Int64(
                try await database.number("select decision_id from darkroom.moderation_decisions"))
            do {
                let outcome = try await database.reviews.review(
                    post, .remove(.terms(nil)), by: "olga", seen: isSeen ? decision : nil)
                #expect(!isConflict && outcome.state == .removed)
            } catch let error as ReviewError {
                guard case .decidedMeanwhile(let by, decision, let seconds) = error.code else { throw error }
                #expect(isConflict && by == reviewer && Double(seconds) >= secondsAgo)
            }
            if !isConflict { return }
            // Having seen an older one is not enough.
            await #expect(throws: ReviewError.self) {
                try await database.reviews.review(
                    post, .remove(.terms(nil)), by: "olga", seen: decision - 1)
            }
        }
    }
}
