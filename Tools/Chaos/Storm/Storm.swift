import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import LocalObjectStore
import Postgres

/// Runs a real installation while faults come, and judges what became of every upload.
package struct Storm: Sendable {
    package struct Options: Sendable {
        package var seed: UInt64
        package var plan: StormPlan
        package var leftOut: [(fault: StormFault, why: String)] = []
        package var workers = 2
        /// So many workers are never killed, stopped or frozen as a whole: one must see 12 s pass to take another one for dead.
        package var spared = 0
        /// Of each worker.
        package var renderers = 1
        package var uploadsPerSecond = 4.0
        /// A folder with JPEGs to upload next to those made by code.
        package var photos: String?
        /// How long the queue may take to empty after the last fault.
        package var patience = Duration.seconds(300)
        /// How long a fault waits for a victim.
        package var victimPatience = Duration.seconds(10)
        package var standby = false
        /// Where its media store is.
        package var store = StormStoreKind.directory
        /// Uploads go on until so many were committed, or until the last fault if that is later.
        package var uploads = 0
        package var isSynchronous = true
        /// The folder of `darkroom` and `darkroom-renderer`.
        package var programs: String
        /// Pictures of a post.
        package var pictures: Int
        /// Where to keep ledger and logs; nil to remove them.
        package var keep: String?

        package init(seed: UInt64, plan: StormPlan, programs: String, pictures: Int) {
            self.seed = seed
            self.plan = plan
            self.programs = programs
            self.pictures = pictures
        }
    }

    private let options: Options
    private let progress: @Sendable (_ done: Int, _ total: Int, _ note: String) -> Void
    /// For tests: harms the installation after the storm, before it is judged.
    var sabotage: (@Sendable (StormSite) async throws -> Void)?
    /// For tests: called when all is done, while the workers still run.
    var whenDone: (@Sendable (StormSite) async throws -> Void)?

    package init(
        options: Options, progress: @escaping @Sendable (_ done: Int, _ total: Int, _ note: String) -> Void
    ) {
        self.options = options
        self.progress = progress
    }

    /// The faults that this process can cause, and why it cannot cause the others.
    package static func possible(
        among faults: [StormFault], standby: Bool, store: StormStoreKind
    ) -> (possible: [StormFault], leftOut: [(fault: StormFault, why: String)]) {
        var leftOut: [(StormFault, String)] = []
        let canMount = canMount
        let possible = faults.filter { fault in
            let why: String? =
                if let needed = fault.traits.store, needed != store {
                    "the media store is \(store == .bucket ? "in a bucket" : "a directory")"
                } else if fault.traits.needsMount && !canMount {
                    "this process may not mount a file system"
                } else if fault
                    == .failover && !standby
                { "there is no standby" } else { nil }
            if let why { leftOut.append((fault, why)) }
            return why == nil
        }
        return (possible, leftOut)
    }

    private static var canMount: Bool {
        let path = "/tmp/darkroom-mount-\(getpid())"
        guard mkdir(path, 0o700) == 0 else { return false }
        defer { rmdir(path) }
        guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else { return false }
        return umount2(path, CInt(MNT_DETACH)) == 0
    }

    /// - Throws: ``ChaosError`` if the storm itself cannot do its work.
    package func run() async throws -> StormReport {
        let root = try makeTemporaryFolder("darkroom-storm", isPassable: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let logs = options.keep ?? root
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        return try await withStore(in: root) { store in
            try await StormServers.with(
                options.standby ? 2 : 1, isSynchronous: options.isSynchronous, in: root
            ) { servers in
                let site = StormSite(
                    root: root, servers: servers, programs: options.programs, store: store, logs: logs)
                try await site.setUp()
                return try await run(on: site)
            }
        }
    }

    private func withStore<T>(in root: String, _ body: (StormStore) async throws -> T) async throws -> T {
        switch options.store {
        case .directory:
            let disk = try StormDisk(at: "\(root)/media", mebibytes: 1 << 12)
            defer { disk.remove() }
            return try await body(.directory(disk))
        case .bucket:
            guard
                let checkout = LocalObjectStore.checkout(above: "\(options.programs)/darkroom")
                    ?? LocalObjectStore.checkout(above: FileManager.default.currentDirectoryPath + "/x")
            else { throw ChaosError("there is no scripts/object-store: run this in a checkout") }
            let bucket = try await StormBucket.start(checkout: checkout, seed: options.seed)
            let result: Result<T, any Error> = await Result { try await body(.bucket(bucket)) }
            await bucket.end()
            return try result.get()
        }
    }

    private func run(on site: StormSite) async throws -> StormReport {
        unlink(site.ledger)
        let ledger = try StormLedger(path: site.ledger)
        let uploader = try StormUploader(
            site, stock: try await PhotoStock(folder: options.photos, site), ledger: ledger,
            perSecond: options.uploadsPerSecond, seed: options.seed)
        let fleet = StormFleet.Options(
            workers: options.workers, renderers: options.renderers,
            spared: min(options.spared, options.workers - 1),
            logs: site.logs)
        var starts = 0
        let (outcome, unstopped) = try await StormFleet.with(site, fleet) { fleet in
            let uploading = Task { await uploader.run() }
            let happenings: Result<[StormReport.Happening], any Error> = await Result {
                // Faults come to an installation at work, and it must work after the last one.
                try await awaitUpload(by: uploader)
                let happenings = try await happen(
                    StormInjector(
                        site: site, fleet: fleet, ledger: ledger, patience: options.victimPatience),
                    uploader)
                repeat {
                    try await awaitUpload(by: uploader)
                } while uploader.progress.committed < options.uploads
                return happenings
            }
            uploading.cancel()
            await uploading.value
            let drained = try await drain(site, fleet, total: try happenings.get().count)
            try await whenDone?(site)
            starts = fleet.starts
            return (happenings: try happenings.get(), drained: drained)
        }
        let swept = try await sweep(site)
        try await sabotage?(site)
        let facts = try await StormFacts.load(site)
        let lines = try StormLedger.read(site.ledger)
        return StormReport(
            outcome.happenings,
            StormVerdict(
                of: lines, facts, pictures: options.pictures, unstopped: unstopped, isSwept: swept != nil),
            facts,
            ledger: lines, starts: starts, drained: outcome.drained, swept: swept, leftOut: options.leftOut)
    }

    /// Has what nothing refers to removed from a bucket, which cannot be kept from carrying out a request whose sender is dead.
    /// A directory must be clean without it.
    ///
    /// - Returns: how many files were removed; nil if none had to be.
    private func sweep(_ site: StormSite) async throws -> Int? {
        guard case .bucket(let bucket) = site.store else { return nil }
        try await site.servers.administer("update darkroom.settings set original_grace = '0'")
        let before = try await bucket.keys().count
        let output = try await site.command(["sweep", "--delete", "--older-than", "0s"]).run()
        // With 1 if photos are missing, as those are that were never stored.
        guard [.exited(0), .exited(1)].contains(output.ending) else {
            throw ChaosError("the sweep \(output.ending): \(output.standardOutput)\(output.standardError)")
        }
        return before - (try await bucket.keys().count)
    }

    private func awaitUpload(by uploader: StormUploader) async throws {
        let before = uploader.progress.committed
        let deadline = ContinuousClock.now + options.patience
        while uploader.progress.committed == before {
            guard .now < deadline else {
                throw ChaosError("no upload was committed within \(options.patience)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func happen(
        _ injector: StormInjector, _ uploader: StormUploader
    ) async throws -> [StormReport.Happening] {
        let begin = ContinuousClock.now
        let scenarios = options.plan.scenarios
        var happenings: [StormReport.Happening] = []
        for scenario in scenarios {
            let uploads = uploader.progress
            progress(
                happenings.count, scenarios.count,
                "\(uploads.committed + uploads.unknown) uploads; \(scenario.fault.rawValue)")
            try await Task.sleep(until: begin + scenario.start, clock: .continuous)
            let hit = try await injector.perform(scenario)
            happenings.append(
                StormReport.Happening(
                    scenario: scenario, end: StormLedger.now, hit: hit, first: nil, all: nil))
            try await injector.repair(scenario.fault)
        }
        return happenings
    }

    /// Waits until no upload is unfinished and no worker that has died is listed, or patience ends.
    ///
    /// - Returns: how long uploads were unfinished.
    private func drain(_ site: StormSite, _ fleet: StormFleet, total: Int) async throws -> Duration {
        let begin = ContinuousClock.now
        var drained: Duration?
        while .now < begin + options.patience {
            let rows = try? await site.servers.administer(
                """
                select (select count(*)::int from darkroom.jobs where kind = 'ingest') as unfinished,
                       (select coalesce(array_agg(pid::text), '{}') from darkroom.workers) as workers
                """)
            if let row = rows?.first {
                let unfinished = try row.decode("unfinished", as: Int.self)
                progress(total, total, "\(unfinished) uploads are not finished yet")
                if unfinished == 0 { drained = drained ?? .now - begin }
                let running = Set(fleet.workers.map { "\($0.process)" })
                let listed = try row.decode("workers", as: [String].self)
                if drained != nil, Set(listed) == running { break }
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        return drained ?? .now - begin
    }
}
