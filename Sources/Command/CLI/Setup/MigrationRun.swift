import Arguments
import CommandSupport
import Ingestion
import JobStore
import MediaStore
import Posts
import Synchronization

/// Copies files for a move, shows how far it is, and ends it.
struct MigrationRun: Sendable {
    private let site: MigrationSite
    private let record: MediaMigrationRecord
    private let filesAtOnce: Int
    private let filePace: Pace
    private let bytePace: Pace
    private let interruption: Interruption

    init(
        _ site: MigrationSite, _ record: MediaMigrationRecord, filesAtOnce: Int, rate: CopyRate,
        _ interruption: Interruption
    ) {
        self.site = site
        self.record = record
        self.filesAtOnce = filesAtOnce
        self.interruption = interruption
        filePace = Pace(perSecond: rate.filesPerSecond)
        bytePace = Pace(perSecond: rate.bytesPerSecond)
    }

    /// Goes on where an earlier run was.
    func copy() async throws {
        let tally = try await pass(try await engine(), after: record.position, label: "Copying")
        Output.note(
            "Copied \(tally.copied) files (\(tally.bytes) bytes). 'darkroom store migrate --finish' copies what came late, and makes "
                + "\(record.location) the media store.")
        if tally.damaged + tally.faults > 0 { throw ExitCode(1) }
    }

    func finish(withoutDamaged: Bool) async throws {
        let engine = try await engine()
        // What every process stores is in both places by now. So a second pass finds nothing, unless phones store photos themselves: those
        // that were enqueued are found below, and of others nobody was told yet that they have arrived.
        for _ in 0..<2 {
            let tally = try await pass(engine, after: nil, label: "Comparing")
            guard tally.faults == 0 else {
                throw CommandError(
                    "nothing was finished: \(tally.faults) files or directories could not be copied; see above"
                )
            }
            if tally.copied == 0 { break }
        }
        let references = MediaReferenceStore(pool: site.pool)
        var position = ReferencePosition.start
        let losses = try await compare(engine, references, &position, isFinished: false)
        losses.forEach(show)
        let damaged = losses.count { if case .damaged = $0 { true } else { false } }
        guard damaged == 0 || withoutDamaged else {
            throw CommandError(
                "nothing was finished: \(damaged) files that the database refers to are damaged; 'darkroom sweep --verify' renders "
                    + "pictures again; restore originals from a backup, or give --without-damaged")
        }
        try await site.requireWorkers(record.identity, interruption)
        guard !interruption.isAsked else { throw ExitCode(interruption.exitCode) }
        guard try await site.store.finish(record.identity) else { throw over }
        Output.note(
            "\(record.location) is the media store now (\(record.identity)). Set DARKROOM_MEDIA to it and remove DARKROOM_MEDIA_NEXT; "
                + "\(site.source.location) is not used any more.")
        try await copyLate(engine, from: &position)
        if !losses.isEmpty { throw ExitCode(1) }
    }

    /// Copies photos that came to the previous place after the move was finished.
    func copyLate() async throws {
        guard site.target != nil else {
            throw CommandError(
                "the move to \(record.location) is finished: to copy photos that came late, give the previous place as --media "
                    + "and \(record.location) as --media-next")
        }
        // Pictures were stored in both places.
        var position = ReferencePosition.original(upload: 0)
        try await copyLate(try await engine(), from: &position)
    }

    /// Such a photo came by a request that somebody had signed before. Can be repeated.
    private func copyLate(_ engine: MediaCopy, from position: inout ReferencePosition) async throws {
        let late: [MediaCopy.Loss]
        do {
            late = try await compare(
                engine, MediaReferenceStore(pool: site.pool), &position, isFinished: true)
        } catch {
            Output.note(
                "Photos that came late were not all copied: give --finish again, with the same places.")
            throw error
        }
        late.forEach(show)
        guard late.isEmpty else { throw ExitCode(1) }
        Output.note("Photos that came late to \(site.source.location) are in \(record.location).")
    }

    private func engine() async throws -> MediaCopy {
        guard let target = site.target else { throw over }
        return MediaCopy(
            pool: site.pool, from: try await site.source.recorded(as: .identity(record.previous)),
            to: try await target.recorded(as: .identity(record.identity)), identity: record.identity,
            filesAtOnce: filesAtOnce)
    }

    /// - Throws: ``ExitCode`` if it was interrupted.
    private func pass(
        _ engine: MediaCopy, after position: String?, label: String
    ) async throws -> MediaCopy.Tally {
        let references = MediaReferenceStore(pool: site.pool)
        let estimate = try await references.estimate()
        let progress = ProgressLine(label: label)
        var total = MediaCopy.Tally()
        var isOver = false
        let isComplete = try await engine.run(after: position) { findings, tally, position in
            findings.forEach(show)
            total.add(tally)
            // Also if nothing was copied: the next run need not look at these again.
            guard
                try await site.store.note(
                    record.identity, position: position, isComplete: false, files: tally.copied,
                    bytes: tally.bytes)
            else {
                isOver = true
                return false
            }
            progress.update(
                done: total.files, total: max(estimate, total.files),
                note: "\(total.copied) copied, \(total.bytes / 1_000_000) MB; Ctrl-C stops")
            await interruption.sleep(
                until: max(
                    filePace.due(after: total.copied), bytePace.due(after: Int(total.bytes))))
            return !interruption.isAsked
        }
        progress.finish(interruption.isAsked ? "interrupted" : "\(total.copied) copied")
        if interruption.isAsked { throw ExitCode(interruption.exitCode) }
        guard isComplete, !isOver,
            try await site.store.note(
                record.identity, position: nil, isComplete: true, files: 0, bytes: 0)
        else { throw over }
        return total
    }

    private func compare(
        _ engine: MediaCopy, _ references: MediaReferenceStore, _ position: inout ReferencePosition,
        isFinished: Bool
    ) async throws -> [MediaCopy.Loss] {
        let losses = try await engine.compare(references, after: &position, isFinished: isFinished) { _ in
            !interruption.isAsked
        }
        if let losses { return losses }
        throw interruption.isAsked ? ExitCode(interruption.exitCode) : over
    }

    private var over: CommandError {
        CommandError("the move was cancelled or finished meanwhile: see 'darkroom store show'")
    }

    private func show(_ finding: MediaCopy.Finding) {
        switch finding {
        case .damaged(let key, let what): Output.line(Terminal.printable("damaged  \(key): \(what)"))
        case .fault(let error): Output.line("failed  \(Terminal.printable("\(error)"))")
        }
    }

    private func show(_ loss: MediaCopy.Loss) {
        switch loss {
        case .missing(let file):
            Output.line(
                Terminal.printable(
                    "missing  \(file.mediaKey)  (\(file.referrer)): the previous store does not have it either"
                ))
        case .damaged(let file, let what):
            Output.line(Terminal.printable("damaged  \(file.mediaKey)  (\(file.referrer)): \(what)"))
        }
    }
}
