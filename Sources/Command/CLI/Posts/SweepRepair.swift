import CommandSupport
import FoundationEssentials
import Ingestion
import JobStore
import Posts

/// Has posts rendered again whose pictures are missing or damaged, and says which of them still are.
///
/// The jobs run after all others, and only so many are enqueued at a time. They go on if this process is stopped.
struct SweepRepair {
    /// A picture that could not be made again.
    struct Left {
        let file: ReferredFile
        let why: String
    }

    private let store: RerenderingStore
    private let jobs: JobStore
    private let window: Int
    private let interruption: Interruption
    /// All posts that were found, and those whose jobs have yet to end.
    private(set) var posts: Set<Int64> = []
    private var unfinished: Set<Int64> = []

    init(_ store: RerenderingStore, _ jobs: JobStore, window: Int, _ interruption: Interruption) {
        self.store = store
        self.jobs = jobs
        self.window = window
        self.interruption = interruption
    }

    /// Enqueues a job for each post that the findings are about. Waits while there are too many jobs.
    mutating func add(_ findings: [MediaSweep.Finding]) async throws {
        for finding in findings {
            guard case .rendition(let post, _)? = finding.file?.referrer, !posts.contains(post) else {
                continue
            }
            try await wait(untilFewerThan: window)
            guard !interruption.isAsked else { return }
            posts.insert(post)
            if try await store.enqueue(scope(post), after: 0, atMost: 1) != nil { unfinished.insert(post) }
        }
    }

    /// Waits for the jobs, and looks at the posts again.
    mutating func finish(_ sweep: MediaSweep) async throws -> [Left] {
        try await wait(untilFewerThan: 1)
        guard !interruption.isAsked else { return [] }
        var left: [Left] = []
        for post in posts.sorted() {
            let files = try await sweep.examine(post: post).compactMap(\.file)
            guard !files.isEmpty else { continue }
            let why = try await obstacle(to: post)
            left += files.map { Left(file: $0, why: why) }
        }
        return left
    }

    private func scope(_ post: Int64) -> RerenderScope { RerenderScope(checksum: 0, post: post, again: true) }

    private func obstacle(to post: Int64) async throws -> String {
        let count = try await store.count(scope(post))
        return if count.gone > 0 {
            "its original was erased: restore the file from a backup"
        } else if count.posts == 0 {
            "the post is not shown: restore the file from a backup"
        } else {
            "it could not be rendered: see 'darkroom jobs list --kind rerender'"
        }
    }

    private mutating func wait(untilFewerThan limit: Int) async throws {
        var progressed = ContinuousClock.now
        while unfinished.count >= limit, !interruption.isAsked {
            let rest = try await store.unfinished(among: unfinished)
            if rest.count < unfinished.count { progressed = .now }
            unfinished = rest
            if rest.count < limit { return }
            if .now - progressed > PostsRerender.patience,
                let obstacle = try await PostsRerender.obstacle(jobs)
            {
                Output.note(
                    "\(rest.count == 1 ? "1 job waits" : "\(rest.count) jobs wait") for \(obstacle). Ctrl-C stops."
                )
                progressed = .now + .seconds(60)
            }
            await interruption.sleep(until: .now + .milliseconds(300))
        }
    }
}

extension MediaSweep.Finding {
    /// The missing or damaged file.
    fileprivate var file: ReferredFile? {
        switch self {
        case .missing(let file), .damaged(let file, _): file
        case .unreferred, .fault: nil
        }
    }
}
