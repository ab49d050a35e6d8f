import Arguments
import CommandSupport
import Ingestion
import MediaStore
import Postgres
import Posts

/// The two places of a move, and what the database has recorded of it.
struct MigrationSite: Sendable {
    let pool: PostgresPool
    let store: MediaMigrationStore
    let record: MediaMigrationRecord?
    /// The identity of the recorded store.
    let recorded: String
    let source: any MediaStore
    /// Nil if nobody has said where the store is to go.
    let target: (any MediaStore)?
    let isToBegin: Bool

    /// A worker looks for the next store every five seconds, and tells of it with its next heartbeat.
    private static let patience = Duration.seconds(20)

    init(_ arguments: ParsedArguments, _ pool: PostgresPool) async throws {
        self.pool = pool
        store = MediaMigrationStore(pool: pool)
        record = try await store.last()
        isToBegin = arguments.string("to") != nil
        guard
            let recorded = try await pool.withConnection({
                try await RecordedIdentity.read(from: $0).identity
            })
        else {
            throw CommandError(
                "there is nothing to move: the database has no media store yet; set DARKROOM_MEDIA to the new place"
            )
        }
        self.recorded = recorded
        // Their own identities are compared here, not with the database's: that is what moves.
        func place(_ location: String) throws -> any MediaStore {
            try Settings.withUsage { try MediaLocation.store(at: location) { _ in .none(proposal: "") } }
        }
        source = try place(Settings.mediaLocation(arguments))
        target = try (arguments.string("to") ?? Settings.nextMediaLocation(arguments)).map(place)
    }

    /// The move that has ended, unless another one is to begin.
    var finished: MediaMigrationRecord? {
        guard let record, !record.isUnderWay, !isToBegin else { return nil }
        return record
    }

    func cancel() async throws {
        guard try await store.cancel() else { throw CommandError("no move of the media store is under way") }
        Output.note(
            "The move was cancelled: \(source.location) stays the media store. What was copied to "
                + "\(record?.location ?? "the next place") stays there; a later move to it uses it. You can remove DARKROOM_MEDIA_NEXT now."
        )
    }

    /// The move that is under way; begins one if it is told to.
    func begin(_ interruption: Interruption) async throws -> MediaMigrationRecord {
        let target = try requireTarget()
        try await source.requireResponse()
        try await target.requireResponse()
        try await requireSource()
        guard let record, record.isUnderWay else {
            guard isToBegin else {
                throw CommandError(
                    "no move of the media store is under way: 'darkroom store migrate --to PLACE' begins one")
            }
            return try await begin(to: target, interruption)
        }
        let found = try await target.identity()
        guard found == record.identity else {
            throw CommandError(
                "the store is being moved to \(record.location) (\(record.identity)), and \(target.location) is "
                    + "\(found ?? "no store"): set DARKROOM_MEDIA_NEXT to the right place, or end that move with --cancel"
            )
        }
        try await requireWorkers(record.identity, interruption)
        return record
    }

    private func begin(
        to target: any MediaStore, _ interruption: Interruption
    ) async throws -> MediaMigrationRecord {
        let identity = try await mark(target)
        try await requireWorkers(identity, interruption)
        guard
            try await store.begin(
                from: recorded, to: identity, location: target.location, by: Settings.userName),
            let record = try await store.last(), record.identity == identity
        else {
            throw CommandError("the database's media store has just been changed: run the command again")
        }
        Output.note(
            "The move from \(source.location) (\(recorded)) to \(target.location) (\(identity)) has begun: files are stored in both."
        )
        return record
    }

    private func requireTarget() throws -> any MediaStore {
        if let target { return target }
        throw CommandError("no next place is known: set DARKROOM_MEDIA_NEXT, or give --to PLACE")
    }

    private func requireSource() async throws {
        let found = try await source.identity()
        guard found == recorded else {
            throw CommandError(
                "\(source.location) is \(found.map { "the media store \($0)" } ?? "no media store"), and the database's is "
                    + "\(recorded): set DARKROOM_MEDIA to the present store")
        }
    }

    /// Makes the next place a store of this database.
    private func mark(_ target: any MediaStore) async throws -> String {
        let proposal = try await pool.query("select proposal from darkroom.media_identity()")[0]
            .decode("proposal", as: String.self)
        let identity = try await target.mark(as: proposal)
        guard identity != recorded else {
            throw CommandError(
                "\(target.location) has the same identity as the present store, so it is a copy of it, or the same place: to "
                    + "use a copy, set DARKROOM_MEDIA to it; to move the store there, remove originals/.darkroom-store first"
            )
        }
        // The first half is the database's own.
        guard identity.prefix(8) == proposal.prefix(8) else {
            throw CommandError(
                "\(target.location) is the media store \(identity) of another database: choose a place of its own"
            )
        }
        return identity
    }

    /// A worker without the next store takes no photos while a move is under way.
    func requireWorkers(_ identity: String, _ interruption: Interruption) async throws {
        let deadline = ContinuousClock.now + Self.patience
        var missing = try await store.unprepared(for: identity)
        func isToWait() -> Bool { !missing.isEmpty && missing.allSatisfy(\.mayFollow) }
        if isToWait() { Output.note("Waiting until all workers have seen the next store.") }
        while isToWait(), .now < deadline, !interruption.isAsked {
            await interruption.sleep(until: .now + .milliseconds(200))
            missing = try await store.unprepared(for: identity)
        }
        guard missing.isEmpty else {
            let names = missing.map { "worker \($0.number) (\($0.host), process \($0.pid))" }
                .joined(separator: ", ")
            throw CommandError(
                "nothing was changed, because the next store is not known to \(names): restart it with DARKROOM_MEDIA_NEXT set to "
                    + "\(target?.location ?? "the next place"), then run the command again")
        }
    }

    /// Shows what a move would do.
    func describe(_ interruption: Interruption) async throws {
        try await requireSource()
        var files = 0
        var bytes: Int64 = 0
        let plain = try await source.recorded(as: .identity(recorded))
        var walk = plain.walk()
        while let found = try await walk.next(), !interruption.isAsked {
            files += found.count
            bytes += found.reduce(0) { $0 + $1.byteCount }
        }
        if interruption.isAsked { throw ExitCode(interruption.exitCode) }
        Output.line("\(source.location): \(files) files, \(bytes) bytes")
        guard let target else { return }
        let identity = try await target.identity()
        Output.line("\(target.location): \(identity.map { "the media store \($0)" } ?? "no media store yet")")
        for worker in try await store.unprepared(for: identity ?? "") where identity != nil {
            Output.line("worker \(worker.number) on \(worker.host) does not have it as DARKROOM_MEDIA_NEXT")
        }
    }
}
