/// What became of the uploads of a storm, compared with what its ledger promises.
package struct StormVerdict: Sendable, Equatable {
    /// One thing that must not be.
    package enum Wrong: Sendable, Equatable, CustomStringConvertible {
        /// A committed upload is gone, or its job is.
        case lost(String)
        case doubled(String, what: String)
        case stuck(String, state: String)
        case wronglyRejected(String, reason: String)
        case wronglyAccepted(String)
        case quarantined(String)
        case failed(String, reason: String)
        /// A transaction that never committed has left an upload.
        case ghost(String)
        case missingFile(String, key: String)
        case wrongFile(String, key: String)
        /// A post with too many or too few pictures.
        case wrongPictures(String, count: Int)
        case fileWithoutPost(key: String)
        /// After a sweep.
        case originalWithoutUpload(key: String)
        case leasesLeft(Int)
        case workersLeft(Int)
        case slotsLeft(Int)
        case workersDidNotStop(Int)

        package var description: String {
            switch self {
            case .lost(let key): "\(key): was committed, and is gone"
            case .doubled(let key, let what): "\(key): has \(what)"
            case .stuck(let key, let state): "\(key): is still \(state)"
            case .wronglyRejected(let key, let reason): "\(key): was rejected with \(reason)"
            case .wronglyAccepted(let key): "\(key): was published, and should have been rejected"
            case .quarantined(let key): "\(key): was quarantined"
            case .failed(let key, let reason): "\(key): failed with \(reason)"
            case .ghost(let key): "\(key): never committed, and is there"
            case .missingFile(let key, let file): "\(key): \(file) is missing"
            case .wrongFile(let key, let file): "\(key): \(file) has other bytes than its hash says"
            case .wrongPictures(let key, let count): "\(key): its post has \(count) pictures"
            case .fileWithoutPost(let file): "\(file) belongs to no post"
            case .originalWithoutUpload(let file): "\(file) belongs to no upload"
            case .leasesLeft(let count): "\(count) leases are left"
            case .workersLeft(let count): "\(count) workers are still listed"
            case .slotsLeft(let count): "\(count) slots of a limited uploader are still taken"
            case .workersDidNotStop(let count): "\(count) workers did not stop when they were asked to"
            }
        }
    }

    package internal(set) var committed = 0
    package internal(set) var rolledBack = 0
    /// Uploads whose commit had no reply, by what the database said afterwards.
    package internal(set) var unknownCommitted = 0
    package internal(set) var unknownRolledBack = 0
    package internal(set) var published = 0
    package internal(set) var rejected = 0
    /// Uploads that were committed on a lost primary after the last that its standby has.
    package internal(set) var goneWithPrimary = 0
    package internal(set) var wrongs: [Wrong] = []

    package var isKept: Bool { wrongs.isEmpty }

    /// - Parameters:
    ///   - pictures: how many a post must have.
    ///   - unstopped: workers that had to be killed at the end.
    ///   - isSwept: whether originals that no upload refers to were removed.
    init(
        of lines: [StormLedger.Line], _ facts: StormFacts, pictures: Int, unstopped: Int,
        isSwept: Bool = false
    ) {
        let promises = StormPromises(lines)
        for (key, promise) in promises.byKey.sorted(by: { $0.key < $1.key }) {
            let upload = facts.uploads[key]
            switch promise.commit {
            case .never:
                rolledBack += 1
                if upload != nil { wrongs.append(.ghost(key)) }
                continue
            case .unknown:
                if upload == nil { unknownRolledBack += 1 } else { unknownCommitted += 1 }
            case .committed(let mayBeGone):
                committed += 1
                if upload == nil {
                    if mayBeGone { goneWithPrimary += 1 } else { wrongs.append(.lost(key)) }
                }
            }
            if let upload { judge(key, upload, promise.expectation, facts, pictures) }
        }
        for key in facts.uploads.keys.sorted() where promises.byKey[key] == nil { wrongs.append(.ghost(key)) }
        let referred = Set(facts.uploads.values.flatMap { $0.posts.joined().map(\.key) })
        // What was stored for a job that a lost primary has taken with it.
        if goneWithPrimary == 0 {
            wrongs += facts.pictures.keys.filter { !referred.contains($0) }.sorted().map {
                .fileWithoutPost(key: $0)
            }
        }
        if isSwept {
            let uploaded = Set(facts.uploads.values.map(\.originalKey))
            wrongs += facts.originals.subtracting(uploaded).sorted().map { .originalWithoutUpload(key: $0) }
        }
        if facts.leases > 0 { wrongs.append(.leasesLeft(facts.leases)) }
        if facts.workers > 0 { wrongs.append(.workersLeft(facts.workers)) }
        if facts.slots > 0 { wrongs.append(.slotsLeft(facts.slots)) }
        if unstopped > 0 { wrongs.append(.workersDidNotStop(unstopped)) }
    }

    private mutating func judge(
        _ key: String, _ upload: StormFacts.Upload, _ expectation: StormLedger.Expectation,
        _ facts: StormFacts,
        _ pictures: Int
    ) {
        if upload.rows > 1 { wrongs.append(.doubled(key, what: "\(upload.rows) uploads")) }
        if upload.ends.count > 1 { wrongs.append(.doubled(key, what: "\(upload.ends.count) ends")) }
        if upload.posts.count > 1 { wrongs.append(.doubled(key, what: "\(upload.posts.count) posts")) }
        if let state = upload.unfinished {
            wrongs.append(
                upload.ends.isEmpty
                    ? .stuck(key, state: state) : .doubled(key, what: "an end and a job that is \(state)"))
            return
        }
        guard let end = upload.ends.first else {
            wrongs.append(.lost(key))
            return
        }
        switch (end.state, expectation) {
        case ("succeeded", .published):
            published += 1
            judgeFiles(key, upload, facts, pictures)
            return
        case ("succeeded", .rejected): wrongs.append(.wronglyAccepted(key))
        case ("rejected", .rejected(let reasons)) where reasons.contains(end.reason ?? ""): rejected += 1
        case ("rejected", _): wrongs.append(.wronglyRejected(key, reason: end.reason ?? "none"))
        case (_, _) where end.reason == "poison": wrongs.append(.quarantined(key))
        default: wrongs.append(.failed(key, reason: end.reason ?? end.state))
        }
        if end.state != "succeeded", !upload.posts.isEmpty {
            wrongs.append(.doubled(key, what: "a post, and an end as \(end.state)"))
        }
    }

    private mutating func judgeFiles(
        _ key: String, _ upload: StormFacts.Upload, _ facts: StormFacts, _ pictures: Int
    ) {
        guard let files = upload.posts.first else {
            wrongs.append(.lost(key))
            return
        }
        if files.count != pictures { wrongs.append(.wrongPictures(key, count: files.count)) }
        for file in files {
            switch facts.pictures[file.key] {
            case nil: wrongs.append(.missingFile(key, key: file.key))
            case file.sha256?: break
            default: wrongs.append(.wrongFile(key, key: file.key))
            }
        }
        if !facts.originals.contains(upload.originalKey) {
            wrongs.append(.missingFile(key, key: upload.originalKey))
        }
    }
}

/// What a ledger promises for each upload.
struct StormPromises: Sendable {
    enum Commit: Sendable, Equatable {
        case never, unknown
        case committed(mayBeGone: Bool)
    }

    struct Promise: Sendable {
        var expectation: StormLedger.Expectation
        var commit = Commit.never
        /// When the commit was known.
        var time: Int64 = 0
    }

    private(set) var byKey: [String: Promise] = [:]

    init(_ lines: [StormLedger.Line]) {
        var positions: [String: UInt64] = [:]
        for line in lines {
            switch line.entry {
            case .began(let key, let expectation): byKey[key] = Promise(expectation: expectation)
            case .committed(let key, let position):
                byKey[key]?.commit = .committed(mayBeGone: false)
                byKey[key]?.time = line.time
                positions[key] = position
            case .unknown(let key):
                byKey[key]?.commit = .unknown
                byKey[key]?.time = line.time
            case .rolledBack: break
            case .promoted(let last):
                // Whatever lies behind the last place that the standby has may be gone.
                for (key, position) in positions where position > last {
                    byKey[key]?.commit = .committed(mayBeGone: true)
                }
                positions = [:]
            }
        }
    }
}
