import FoundationEssentials
import Postgres
import Posts
import TestKit
import Testing

@Suite("Every report", .timeLimit(.minutes(15)))
struct ReportListTests {
    /// Days since the reporters' accounts were created; nil for one that is new.
    static let ages: [Int?] = [nil, 5, 365]
    static let counts = [1, 3, 13]

    @Test(
        "lists its post, for any reason, age and number of reporters, and each reporter is told the decision",
        arguments: ReportGround.allCases)
    func listed(reason: ReportGround) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [(post: Int64, name: String, count: Int)] = []
            for age in Self.ages {
                for count in Self.counts {
                    let post = try await PublishingTests.publish(in: database)
                    let name = "\(age ?? 0) \(count)"
                    for reporter in 0..<count {
                        try await database.report(
                            post, by: "\(name) \(reporter)", reason: reason, accountDays: age)
                    }
                    posts.append((post, name, count))
                }
            }
            try await database.moderateAll()
            let listed = Dictionary(
                uniqueKeysWithValues: try await database.reviews.waiting(limit: 1000).map {
                    ($0.position.post, $0)
                })
            #expect(listed.count == posts.count)
            for (post, name, count) in posts {
                let item = try #require(listed[post], "\(reason) \(name)")
                #expect(item.reportCount == count && item.position.severity == reason.severity)
                #expect((item.cause == "reported") == (item.state == .published))
                #expect(item.isBinding == (reason.needsPerson || item.state == .hidden), "\(name)")
                for reporter in 0..<count {
                    #expect(
                        try await Self.told("\(name) \(reporter)", database)
                            == ["\(post) \(reason.rawValue) \(item.state == .hidden ? "hidden" : "waiting")"])
                }
            }
            for (number, (post, name, count)) in posts.enumerated() {
                let isRemoved = number % 2 == 0
                let outcome = try await database.reviews.review(
                    post, isRemoved ? .remove(.terms(nil)) : .approve, by: "olga")
                #expect(outcome.judged == count && outcome.state == (isRemoved ? .removed : .published))
                for reporter in 0..<count {
                    #expect(
                        try await Self.told("\(name) \(reporter)", database)
                            == ["\(post) \(reason.rawValue) \(isRemoved ? "removed" : "kept")"])
                }
            }
            #expect(try await database.reviews.waiting(limit: 1000).isEmpty)
        }
    }

    private static func told(_ reporter: String, _ database: QueueDatabase) async throws -> [String?] {
        try await database.texts(
            "select concat_ws(' ', post_id, reason, decision) from darkroom.report_decisions(\(reporter))")
    }

    @Test("is told to its reporter alone, with who decided, when, and what to do about it, page by page")
    func decisions() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [Int64] = []
            for _ in 0..<5 {
                posts.append(try await PublishingTests.publish(in: database))
                try await database.report(posts[posts.count - 1], by: "eve")
            }
            try await database.report(posts[0], by: "other")
            _ = try await database.policies.set(note: "strict") {
                $0.hideThreshold = 0.5
                $0.leastThreshold = 0.5
                $0.redress = "Write to us."
            }
            try await database.moderateAll()
            _ = try await database.reviews.review(posts[0], .remove(.terms(nil)), by: "olga")
            _ = try await database.reviews.review(posts[1], .approve, by: "olga")
            try await database.pool.query("select darkroom.delete_post(\(posts[2]), 'ada')")
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', post_id, decision, is_automatic, decided_at is not null, redress)
                    from darkroom.report_decisions('eve') order by post_id
                    """) == [
                        "\(posts[0]) removed f t Write to us.", "\(posts[1]) kept f t Write to us.",
                        // It was under review when it was deleted, so a person still decides.
                        "\(posts[2]) waiting f f", "\(posts[3]) hidden t t Write to us.",
                        "\(posts[4]) hidden t t Write to us.",
                    ])
            var pages: [String?] = []
            var cursor: String?
            repeat {
                let page = try await database.pool.query(
                    "select post_id, cursor from darkroom.report_decisions('eve', at_most => 2, after => \(cursor))"
                )
                pages += try page.map { "\(try $0.decode("post_id", as: Int64.self))" }
                cursor = try page.last?.decode("cursor", as: String.self)
            } while cursor != nil
            #expect(pages == posts.reversed().map { "\($0)" })
            #expect(
                try await database.number("select count(*) from darkroom.report_decisions('nobody')") == 0)
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "select * from darkroom.report_decisions('eve', after => 'latest:1~1')")
            }
            #expect(error?.sqlState == "22023")
        }
    }

    @Test("is refused for a reason that does not exist, and the error lists those that do")
    func unknownReason() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query("select darkroom.report_post(\(post), 'eve', 'dull')")
            }
            #expect(error?.sqlState == "22023")
            #expect(ReportGround.allCases.allSatisfy { error?.hint?.contains($0.rawValue) == true })
        }
    }

    @Test(
        "leaves the list when it no longer counts, unless a person must decide on it",
        arguments: [ReportGround.spam, .minors, .illegal, .privateInformation])
    func expired(reason: ReportGround) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "eve", reason: reason)
            try await database.moderateAll()
            #expect(try await database.texts("select cause from darkroom.reviews") == ["reported"])
            try await database.pool.query(
                "update darkroom.reports set created_at = now() - interval '181 days'")
            try await database.pool.query("update darkroom.reviews set weigh_at = now()")
            try await database.expire()
            try await database.moderateAll()
            #expect(
                try await database.number("select count(*) from darkroom.reviews")
                    == (reason.needsPerson ? 1 : 0))
        }
    }

    @Test(
        "keeps a post from being erased before a person has decided only if a person must decide on it",
        arguments: [ReportGround.spam, .illegal], [false, true])
    func deleted(reason: ReportGround, isWeighed: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "eve", reason: reason)
            if isWeighed { try await database.moderateAll() }
            try await database.pool.query("select darkroom.delete_post(\(post), 'ada')")
            try await database.moderateAll()
            let isKept = reason.needsPerson
            #expect(try await database.number("select count(*) from darkroom.reviews") == (isKept ? 1 : 0))
            #expect(
                try await database.number("select count(*) from darkroom.removed_hashes") == (isKept ? 1 : 0))
            #expect(
                try await database.texts("select darkroom.erasure_step(\(post))")
                    == [isKept ? "leave" : "erase"])
            #expect(
                try await Self.told("eve", database)
                    == ["\(post) \(reason.rawValue) \(isKept ? "waiting" : "gone")"])
        }
    }

    @Test(
        "does not keep a published post from expiring, and a person can still decide if one must",
        arguments: [ReportGround.spam, .illegal], [false, true])
    func over(reason: ReportGround, isReportedAfterwards: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            if !isReportedAfterwards {
                try await database.report(post, by: "eve", reason: reason)
                try await database.moderateAll()
            }
            try await database.pool.query("update darkroom.posts set expires_at = now()")
            try await database.expire()
            #expect(try await database.state(ofPost: post) == .expired)
            if isReportedAfterwards {
                try await database.pool.reportLate(post, by: "eve", reason: reason.rawValue)
                try await database.moderateAll()
            }
            let items = try await database.reviews.waiting(limit: 10)
            #expect(items.map(\.state) == (reason.needsPerson ? [.expired] : []))
            guard reason.needsPerson else { return }
            let removal = try await database.reviews.review(post, .remove(.law("§ 1")), by: "olga")
            #expect(removal.state == .removed && removal.judged == 1)
            #expect(
                try await database.number("select removals from darkroom.people where person = 'ada'") == 1)
        }
    }
}
