import Testing

@testable import Chaos

/// The judge of a storm sees each wrong that an installation could do.
@Suite("The verdict on a storm")
struct StormVerdictTests {
    private static let files = ["large", "medium", "small"].map {
        StormFacts.File(key: "renditions/\($0)", sha256: $0)
    }

    /// Two good uploads, a bad one, one that was rolled back, and two whose commit had no reply.
    private static let ledger: [StormLedger.Line] = [
        .began(key: "good", .published), .committed(key: "good", position: 10),
        .began(key: "bad", .rejected(reasons: ["no_location"])), .committed(key: "bad", position: 20),
        .began(key: "undone", .published), .rolledBack(key: "undone"),
        .began(key: "heard", .published), .unknown(key: "heard"),
        .began(key: "unheard", .published), .unknown(key: "unheard"),
        .began(key: "unsent", .published),
    ].enumerated().map { StormLedger.Line(time: Int64($0), entry: $1) }

    private static let asPromised: StormFacts = {
        var facts = StormFacts()
        let end = StormFacts.End(state: "succeeded", reason: nil, time: 99)
        let post = StormFacts.Upload(originalKey: "originals/1", ends: [end], posts: [files])
        facts.uploads = [
            "good": post, "heard": post,
            "bad": StormFacts.Upload(
                originalKey: "originals/2", ends: [.init(state: "rejected", reason: "no_location", time: 98)]),
        ]
        facts.pictures = Dictionary(uniqueKeysWithValues: files.map { ($0.key, $0.sha256) })
        facts.originals = ["originals/1", "originals/2"]
        return facts
    }()

    private func verdict(
        of facts: StormFacts, ledger: [StormLedger.Line] = ledger, unstopped: Int = 0
    ) -> StormVerdict {
        StormVerdict(of: ledger, facts, pictures: 3, unstopped: unstopped)
    }

    @Test("is good if all is as promised")
    func kept() {
        let verdict = verdict(of: Self.asPromised)
        #expect(verdict.isKept, "\(verdict.wrongs)")
        #expect(verdict.committed == 2 && verdict.rolledBack == 2)
        #expect(verdict.unknownCommitted == 1 && verdict.unknownRolledBack == 1)
        #expect(verdict.published == 2 && verdict.rejected == 1)
    }

    /// One harm to what is as promised.
    struct Harm: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let wrong: StormVerdict.Wrong
        let change: @Sendable (inout StormFacts) -> Void

        init(_ wrong: StormVerdict.Wrong, _ change: @escaping @Sendable (inout StormFacts) -> Void) {
            testDescription = "\(wrong)"
            self.wrong = wrong
            self.change = change
        }
    }

    private static let failed = StormFacts.End(state: "failed", reason: "renderer_fault", time: 99)
    private static let poison = StormFacts.End(state: "failed", reason: "poison", time: 99)

    static let harms: [Harm] = [
        Harm(.lost("good")) { $0.uploads["good"] = nil },
        Harm(.lost("good")) { $0.uploads["good"]?.ends = [] },
        Harm(.lost("good")) { $0.uploads["good"]?.posts = [] },
        Harm(.doubled("good", what: "2 uploads")) { $0.uploads["good"]?.rows = 2 },
        Harm(.doubled("good", what: "2 ends")) {
            $0.uploads["good"]?.ends.append(StormFacts.End(state: "succeeded", reason: nil, time: 100))
        },
        Harm(.doubled("good", what: "2 posts")) { $0.uploads["good"]?.posts.append(files) },
        Harm(.doubled("good", what: "an end and a job that is waiting")) {
            $0.uploads["good"]?.unfinished = "waiting"
        },
        Harm(.stuck("good", state: "running")) {
            $0.uploads["good"]?.unfinished = "running"
            $0.uploads["good"]?.ends = []
            $0.uploads["good"]?.posts = []
        },
        Harm(.wronglyRejected("bad", reason: "truncated")) {
            $0.uploads["bad"]?.ends[0].reason = "truncated"
        },
        Harm(.wronglyAccepted("bad")) {
            $0.uploads["bad"]?.ends[0] = StormFacts.End(state: "succeeded", reason: nil, time: 99)
        },
        Harm(.failed("bad", reason: "renderer_fault")) { $0.uploads["bad"]?.ends = [failed] },
        Harm(.quarantined("bad")) { $0.uploads["bad"]?.ends = [poison] },
        Harm(.doubled("bad", what: "a post, and an end as rejected")) { $0.uploads["bad"]?.posts = [files] },
        Harm(.ghost("undone")) { $0.uploads["undone"] = StormFacts.Upload() },
        Harm(.ghost("unsent")) { $0.uploads["unsent"] = StormFacts.Upload() },
        Harm(.ghost("nobody's")) { $0.uploads["nobody's"] = StormFacts.Upload() },
        Harm(.wrongPictures("good", count: 2)) { $0.uploads["good"]?.posts[0].removeLast() },
        Harm(.missingFile("good", key: "originals/9")) { $0.uploads["good"]?.originalKey = "originals/9" },
        Harm(.fileWithoutPost(key: "renditions/more")) { $0.pictures["renditions/more"] = "more" },
        Harm(.leasesLeft(1)) { $0.leases = 1 },
        Harm(.workersLeft(1)) { $0.workers = 1 },
        Harm(.slotsLeft(1)) { $0.slots = 1 },
    ]

    @Test("names what is wrong, and nothing else", arguments: harms)
    func wrong(_ harm: Harm) {
        var facts = Self.asPromised
        harm.change(&facts)
        #expect(verdict(of: facts).wrongs == [harm.wrong])
    }

    @Test("names a file that is missing or has other bytes, for each post")
    func files() {
        var facts = Self.asPromised
        facts.pictures["renditions/small"] = nil
        #expect(
            verdict(of: facts).wrongs
                == ["good", "heard"].map { .missingFile($0, key: "renditions/small") })
        facts.pictures["renditions/small"] = "other"
        #expect(
            verdict(of: facts).wrongs == ["good", "heard"].map { .wrongFile($0, key: "renditions/small") })
    }

    @Test("names originals without an upload where a sweep has removed them")
    func swept() {
        var facts = Self.asPromised
        facts.originals.insert("originals/3")
        #expect(verdict(of: facts).isKept)
        let swept = StormVerdict(of: Self.ledger, facts, pictures: 3, unstopped: 0, isSwept: true)
        #expect(swept.wrongs == [.originalWithoutUpload(key: "originals/3")])
    }

    @Test("a good photo must not be rejected")
    func innocent() {
        var facts = Self.asPromised
        facts.uploads["heard"]?.ends = [.init(state: "rejected", reason: "corrupt", time: 99)]
        facts.uploads["heard"]?.posts = []
        #expect(verdict(of: facts).wrongs == [.wronglyRejected("heard", reason: "corrupt")])
    }

    @Test("a worker that had to be killed at the end is wrong")
    func unstopped() {
        #expect(verdict(of: Self.asPromised, unstopped: 1).wrongs == [.workersDidNotStop(1)])
    }

    @Test(
        "only what a lost primary alone had may be gone",
        arguments: [(9, true), (10, false), (15, false)] as [(UInt64, Bool)])
    func failover(position: UInt64, mayBeGone: Bool) {
        var facts = Self.asPromised
        facts.uploads["good"] = nil
        let ledger = Self.ledger + [StormLedger.Line(time: 50, entry: .promoted(position: position))]
        let verdict = verdict(of: facts, ledger: ledger)
        #expect(verdict.goneWithPrimary == (mayBeGone ? 1 : 0))
        #expect(verdict.wrongs == (mayBeGone ? [] : [.lost("good")]))
    }

    @Test("a ledger is read as it was written")
    func text() throws {
        let lines = Self.ledger + [StormLedger.Line(time: 50, entry: .promoted(position: 7))]
        #expect(lines.compactMap { StormLedger.Line($0.text) } == lines)
        for damaged in ["", "1 began good", "x began good published", "1 committed good", "1 else good"] {
            #expect(StormLedger.Line(damaged) == nil)
        }
    }
}
