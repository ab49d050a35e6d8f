import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

/// Lists of known photos: exact look-ups, and what becomes of uploads and posts that are on a list.
@Suite("Known hashes", .timeLimit(.minutes(15)))
struct KnownHashTests {
    /// A hash with half of its bits set, as most photos have.
    static func hash(_ random: inout SplitMix) -> [UInt64] { (0..<4).map { _ in random.next() } }

    static func known(_ words: [UInt64], quality: Int = 100) -> KnownHash {
        KnownHash(
            hexadecimal: words.map { word in
                let digits = String(word, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined(), quality: quality)
    }

    /// Inverts bits, of which 0 is the lowest bit of the last word.
    static func flip(_ bits: some Sequence<Int>, of hash: [UInt64]) -> [UInt64] {
        bits.reduce(into: hash) { $0[3 - $1 / 64] ^= 1 << UInt64($1 % 64) }
    }

    /// As many bits as possible in every word of 16 bits: 2, 2, …, 2, 1 of 31.
    static func spread(_ count: Int, _ random: inout SplitMix) -> [Int] {
        let words = (0..<16).map { word in Array(word * 16..<word * 16 + 16).shuffled(using: &random) }
        return (0..<count).map { words[$0 % 16][$0 / 16] }
    }

    @discardableResult
    static func add(
        _ hashes: [KnownHash], to name: String, _ action: HashList.Action = .hold, distance: Int = 31,
        in database: QueueDatabase
    ) async throws -> Int64 {
        try await database.pool.withTransaction { transaction in
            let list = try await HashListStore.open(
                name, action, distance: distance, note: nil, by: "olga", in: transaction)
            _ = try await HashListStore.add(hashes, to: list, in: transaction)
            try await HashListStore.close(list, in: transaction)
            return list
        }
    }

    static func found(_ hash: KnownHash, in database: QueueDatabase) async throws -> ListMatch? {
        try await database.pool.query(
            """
            select * from darkroom.listed_hash(('x' || \(hash.hexadecimal))::bit(256), \(hash.quality))
            """
        ).first.map {
            ListMatch(
                list: try $0.decode("list_id", as: Int64.self), name: try $0.decode("name", as: String.self),
                distance: try $0.decode("differing", as: Int.self))
        }
    }

    @Test("are found at every distance up to 31, wherever the bits are, and not at 32 or more")
    func distances() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 5)
            let hash = Self.hash(&random)
            // Others, so that there is something to tell it from.
            let others = (0..<500).map { _ in Self.known(Self.hash(&random)) }
            let list = try await Self.add(others + [Self.known(hash)], to: "list", in: database)
            for count in 0...40 {
                for bits in [
                    Self.spread(count, &random), Array(Array(0..<256).shuffled(using: &random).prefix(count)),
                    Array(0..<count), Array((256 - count)..<256),
                    // All in one or two words of those that remain the same otherwise.
                    (0..<count).map { (96 + $0) % 256 },
                ] {
                    let found = try await Self.found(Self.known(Self.flip(bits, of: hash)), in: database)
                    #expect(
                        found == (count <= 31 ? ListMatch(list: list, name: "list", distance: count) : nil),
                        "\(count) bits: \(bits)")
                }
            }
        }
    }

    @Test("are found by the only word that differs in a single bit, whichever word and bit that is")
    func singleBits() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 4)
            let hash = Self.hash(&random)
            try await Self.add([Self.known(hash)], to: "list", in: database)
            for bit in 0..<256 {
                let others = (0..<16).filter { $0 != bit / 16 }.flatMap { word in
                    (word * 16..<word * 16 + 16).shuffled(using: &random).prefix(2)
                }
                let found = try await Self.found(
                    Self.known(Self.flip(others + [bit], of: hash)), in: database)
                #expect(found?.distance == 31, "\(bit)")
            }
        }
    }

    @Test("are found by all of the sixteen indexes, and by no scan of the list")
    func indexes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 8)
            try await Self.add(
                (0..<500).map { _ in Self.known(Self.hash(&random)) }, to: "list", in: database)
            let sought = Self.known(Self.hash(&random)).hexadecimal
            func scans(_ session: PostgresConnection) async throws -> [String: Int] {
                let rows = try await session.query(
                    """
                    select indexrelname::text as name, pg_stat_get_xact_numscans(indexrelid) as scans
                    from pg_stat_user_indexes where relid = 'darkroom.listed_hashes'::regclass
                    union all select 'list', pg_stat_get_xact_numscans('darkroom.listed_hashes'::regclass)
                    """)
                return try Dictionary(
                    uniqueKeysWithValues: rows.map {
                        (try $0.decode("name", as: String.self), try $0.decode("scans", as: Int.self))
                    })
            }
            let found = try await database.pool.withTransaction {
                (session: PostgresConnection) async throws -> [String: Int] in
                let before = try await scans(session)
                try await session.query(
                    "select from darkroom.listed_hash(('x' || \(sought))::bit(256), 100)")
                return try await scans(session).merging(before) { $0 - $1 }
            }
            // A word, and that with each of its sixteen bits inverted. Since PostgreSQL 17, one scan looks for several values.
            let lookups = found.filter { $0.key.hasPrefix("listed_hashes_word_") }.values
            #expect(lookups.count == 16 && lookups.allSatisfy { (1...17).contains($0) }, "\(found)")
            #expect(found["listed_hashes_pkey"] == 0 && found["list"] == 0)
        }
    }

    @Test("are found within the distance of their list, and a list that refuses comes before the nearest")
    func order() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 6)
            let hash = Self.hash(&random)
            try await Self.add([Self.known(hash)], to: "near", distance: 3, in: database)
            #expect(try await Self.found(Self.known(Self.flip(0..<3, of: hash)), in: database) != nil)
            #expect(try await Self.found(Self.known(Self.flip(0..<4, of: hash)), in: database) == nil)
            try await Self.add([Self.known(Self.flip(0..<9, of: hash))], to: "refused", .refuse, in: database)
            #expect(try await Self.found(Self.known(hash), in: database)?.name == "refused")
            #expect(try await database.hashLists.remove("refused"))
            #expect(try await Self.found(Self.known(hash), in: database)?.name == "near")
            #expect(try await database.hashLists.remove("refused") == false)
            #expect(try await database.number("select count(*) from darkroom.listed_hashes") == 1)
        }
    }

    @Test(
        "of a quality below 50 are like no other",
        arguments: [(0, false), (49, false), (50, true), (100, true)])
    func quality(quality: Int, isFound: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 7)
            let hash = Self.hash(&random)
            try await Self.add([Self.known(hash)], to: "list", in: database)
            #expect(
                try await (Self.found(Self.known(hash, quality: quality), in: database) != nil) == isFound)
        }
    }

    /// Publishes an upload with its screening, like the ingestion; nil if it is refused.
    static func ingest(
        _ database: QueueDatabase, _ hash: KnownHash?
    ) async throws -> (post: Int64?, screening: Screening) {
        try await database.enqueue(uploader: "ada")
        let worker = try await database.worker()
        let job = try #require(
            try await database.store.claim(limit: 1, worker: worker, kinds: [JobKind("ingest")]).first)
        let screening = try await database.publishing.screen(
            upload: job.subject, perceptualHash: nil, pdq: hash)
        if case .refused(let match) = screening {
            try await database.hashLists.record(refusalOf: job.subject, match)
            try await database.hashLists.record(refusalOf: job.subject, match)
            return (nil, screening)
        }
        var new = PublishingTests.post(upload: job.subject)
        new.pdq = hash
        let post = new
        let id = try await database.pool.withTransaction { transaction in
            let id = try await PublishingStore.publish(post, screening: screening, in: transaction)
            try await JobStore.end(job.lease, as: .succeeded, in: transaction)
            return id
        }
        return (id, screening)
    }

    @Test("hold an upload, which moderators see with the list's name, but its uploader does not")
    func hold() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 8)
            let hash = Self.hash(&random)
            let list = try await Self.add([Self.known(hash)], to: "secret list", in: database)
            let (post, screening) = try await Self.ingest(database, Self.known(Self.flip(0..<5, of: hash)))
            let match = ListMatch(list: list, name: "secret list", distance: 5)
            #expect(screening == .held(.listed(match)))
            let id = try #require(post)
            #expect(try await database.state(ofPost: id) == .held)
            #expect(try await database.events(of: id) == ["held"])
            let decision = try #require(try await database.decisions.decisions(on: id).first)
            #expect(decision.cause == "listed_hash" && decision.kind == .hold && decision.listed == match)
            #expect(
                try await database.number(
                    """
                    select count(*) from darkroom.post_to_review(\(id)) r
                    where r.decisions -> 0 ->> 'hash_list' = 'secret list' and r.decisions -> 0 -> 'hash_distance' = '5'
                    """) == 1)
            let item = try #require(try await database.reviews.waiting(limit: 5).first)
            #expect(item.cause == "listed_hash" && item.position.severity == 8)
            let statement = try #require(try await database.decisions.statementOfReasons(for: decision.id))
            #expect(statement.isAutomaticallyDetected)
            #expect(
                statement.facts == [
                    "The photo matches one on a list of known photos that this service compares uploads with."
                ])
            // A list that is removed holds nothing more; the decision keeps its name.
            #expect(try await database.hashLists.remove("secret list"))
            #expect(try await Self.ingest(database, Self.known(hash)).screening == .clear)
            #expect(try await database.decisions.decisions(on: id).first?.listed == match)
        }
    }

    @Test("refuse an upload, and tell only moderators by which list")
    func refuse() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 9)
            let hash = Self.hash(&random)
            let list = try await Self.add([Self.known(hash)], to: "secret list", .refuse, in: database)
            let match = ListMatch(list: list, name: "secret list", distance: 31)
            let bits = Self.spread(31, &random)
            let (post, screening) = try await Self.ingest(database, Self.known(Self.flip(bits, of: hash)))
            #expect(screening == .refused(match) && post == nil)
            let refusals = try await database.hashLists.refusals(limit: 5)
            #expect(refusals.map(\.match) == [match] && refusals.map(\.uploader) == ["ada"])
            // The erasure of the upload erases this too.
            try await database.pool.query("delete from darkroom.uploads")
            #expect(try await database.hashLists.refusals(limit: 5) == [])
        }
    }

    @Test(
        "hide a post that is edited after a list came that has its photo, once",
        arguments: HashList.Action.allCases)
    func edited(action: HashList.Action) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 11)
            let hash = Self.hash(&random)
            let post = try #require(try await Self.ingest(database, Self.known(hash)).post)
            func edit(_ headline: String) async throws -> [String?] {
                try await database.texts(
                    "select darkroom.edit_post(\(post), 'ada', \(headline), null, null) as state")
            }
            #expect(try await edit("a") == ["published"])
            try await Self.add([Self.known(hash)], to: "list", action, in: database)
            #expect(try await edit("b") == ["hidden"])
            #expect(try await database.reviews.waiting(limit: 5).map(\.cause) == ["listed_hash"])
            _ = try await database.reviews.review(post, .approve, by: "olga")
            #expect(try await edit("c") == ["published"], "what a person has approved stays approved")
            #expect(
                try await database.events(of: post) == [
                    "published", "edited", "edited", "hidden", "restored", "edited",
                ])
        }
    }
}
