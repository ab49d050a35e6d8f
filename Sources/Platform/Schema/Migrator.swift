package import Postgres

/// Brings a database forward to the schema that this binary carries.
///
/// A file of `tables/` runs once, in numeric order. Every other file describes the current state and runs again
/// whenever its text changes. Everything runs in one transaction, so others see either the old schema or the new one.
/// Only a file marked to run outside a transaction splits this: what came before it is committed, and another
/// transaction follows it. At the end, the role owner takes over what was made, and constraints are validated, while others
/// read and write. If a call fails, the next one continues from what was committed.
///
/// It changes only what Darkroom made: what others have put into the schema stays. It waits two seconds for a lock, and then
/// gives way and tries again, because everyone else waits behind it.
///
/// Any number of machines may migrate at once: they take turns. `darkroom.schema_files` records what was applied, with
/// checksums.
package struct Migrator: Sendable {
    /// The first eight bytes of "darkroom".
    private static let lock: Int64 = 0x6461_726b_726f_6f6d

    let connection: PostgresConnection
    private let files: [SchemaFile]
    private let release: SchemaRelease

    package init(
        _ connection: PostgresConnection, files: [SchemaFile] = SchemaFile.all,
        release: SchemaRelease = .current
    ) {
        self.connection = connection
        self.files = files.flatMap(\.parts)
        self.release = release
    }

    /// The files of this binary and of the database: tables, pinned functions, functions, triggers, each by name. Then the
    /// constraints to validate.
    package func status() async throws -> [SchemaStatus] {
        var recorded = try await recorded()
        let present = try await presentObjects()
        var result = files.map { file in
            guard let row = recorded.removeValue(forKey: file.name),
                file.kind == .table || present.contains(file.name)
            else {
                return SchemaStatus(kind: file.kind, name: file.name, state: .pending, appliedAt: nil)
            }
            return SchemaStatus(
                kind: file.kind, name: file.name, state: row.checksum == file.checksum ? .applied : .changed,
                appliedAt: row.appliedAt)
        }
        result += recorded.map { name, row in
            SchemaStatus(kind: row.kind, name: name, state: .removed, appliedAt: row.appliedAt)
        }
        let validated = try await validatedConstraints()
        result += files.flatMap(\.validated).map { name in
            SchemaStatus(
                kind: .constraint, name: name, state: validated.contains(name) ? .applied : .pending,
                appliedAt: nil)
        }
        let order: [SchemaFile.Kind] = [.table, .pinned, .function, .trigger, .constraint]
        return order.flatMap { kind in
            result.filter { $0.kind == kind }.sorted { $0.name < $1.name }
        }
    }

    /// Applies what is pending or changed, and drops what was removed.
    ///
    /// - Returns: what this call changed, with the state before the call.
    /// - Throws: ``SchemaError`` if the database does not fit this release, and ``PostgresError`` if a statement fails.
    ///   Then nothing has changed, except what a step outside a transaction has already committed.
    @discardableResult
    package func migrate(
        progress: @Sendable (SchemaStatus) -> Void = { _ in },
        waiting: @Sendable (PostgresError) -> Void = { _ in }
    ) async throws -> [SchemaStatus] {
        var changed: [SchemaStatus] = []
        // Each turn except the last ends with a step outside a transaction.
        while true {
            let step = try await withLockRetries(waiting) {
                try await connection.transaction { transaction in
                    try await transaction.query("set transaction isolation level read committed")
                    try await transaction.query("select pg_advisory_xact_lock(\(Self.lock))")
                    // While this waits for a lock, everyone else waits behind it.
                    try await transaction.query("set local lock_timeout = '2s'")
                    return try await apply(progress: progress)
                }
            }
            changed += step.changed
            guard let outside = step.outside else { break }
            changed += try await applyOutside(outside, progress: progress)
        }
        if files.contains(where: { $0.name == "take_ownership" }) {
            // It commits after each object. Two calls at once would wait for each other's locks.
            try await withLockRetries(waiting) {
                _ = try await alone { try await connection.query("call darkroom.take_ownership()") }
            }
        }
        for one in try await status() where one.kind == .constraint && one.state == .pending {
            progress(one)
            try await withLockRetries(waiting) { try await validate(one.name) }
            changed.append(one)
        }
        return changed
    }

    /// Tries again while another transaction holds a lock that is needed: half a minute, or longer if it comes and goes.
    private func withLockRetries<T>(
        _ waiting: (PostgresError) -> Void, _ body: () async throws -> T
    ) async throws -> T {
        for _ in 1..<20 {
            do {
                return try await body()
            } catch let error as PostgresError
                where error.sqlState == .lockNotAvailable || error.sqlState == "40P01"
            {
                waiting(error)
                try await Task.sleep(for: .milliseconds(.random(in: 200...800)))
            }
        }
        return try await body()
    }

    private struct Step {
        var changed: [SchemaStatus] = []
        /// The next table file, which must run outside this transaction.
        var outside: SchemaFile?
    }

    /// Runs within a transaction that holds the lock.
    private func apply(progress: @Sendable (SchemaStatus) -> Void) async throws -> Step {
        let status = try await status()
        if let obstacle = try await obstacle(to: status) { throw obstacle }
        var step = Step(changed: status.filter { $0.state != .applied && $0.kind != .constraint })
        let recorded = try await recordedRelease()
        let next = release(after: recorded)
        guard !step.changed.isEmpty || next != recorded else { return step }
        try await prepareRecord()
        let changes = Set(step.changed.map(\.name))
        let pending = files.filter { changes.contains($0.name) }

        let tables = pending.filter { $0.kind == .table }.sorted { $0.name < $1.name }
        let inside = tables.prefix { !$0.isOutsideTransaction }
        if !inside.isEmpty {
            let before = try await definitionNames()
            for file in inside {
                note(file, in: step.changed, progress)
                try await applyTable(file)
            }
            try await recordDefinitions(madeSince: before)
        }
        if inside.count < tables.count {
            step.outside = tables[inside.count]
            // This commits before the rest has run. The workers that the release stops must not see it half done.
            if let recorded {
                try await record(SchemaRelease(release: recorded.release, oldestServed: next.oldestServed))
            }
            let done = Set(inside.map(\.name))
            step.changed.removeAll { !done.contains($0.name) }
            return step
        }

        // A function body may call functions of a later file.
        try await connection.execute("set local check_function_bodies = off")
        for file in pending where file.kind == .function {
            note(file, in: step.changed, progress)
            for signature in file.replaced {
                try await connection.execute("drop function if exists darkroom.\(signature)")
            }
            do {
                try await connection.execute(file.text)
            } catch let error as PostgresError where error.sqlState == "42725" {
                // 42725 is ambiguous_function: the file's comment would fit two functions.
                throw SchemaError(reason: .notOneFunction(file.name, count: 2))
            }
            try await record(file)
        }
        for file in pending where file.kind == .trigger {
            note(file, in: step.changed, progress)
            try await connection.execute(file.text)
            try await record(file)
        }
        // Triggers first: they use functions.
        for removed in step.changed.reversed() where removed.state == .removed {
            progress(removed)
            try await drop(removed)
        }
        try await checkFunctions()
        for last in ["grant_roles", "prepare_queue"] where files.contains(where: { $0.name == last }) {
            try await connection.query("select darkroom.\(unescaped: last)()")
        }
        try await record(next)
        return step
    }

    private func note(
        _ file: SchemaFile, in status: [SchemaStatus], _ progress: (SchemaStatus) -> Void
    ) {
        status.first { $0.name == file.name }.map(progress)
    }

    /// Why these files cannot be applied to the database; nil if they can, or if there is nothing to apply.
    package func obstacle(to status: [SchemaStatus]) async throws -> SchemaError? {
        guard status.contains(where: { $0.state != .applied }) else { return nil }
        let pinnedNow = Set(
            files.filter { file in
                file.kind == .table && status.contains { $0.name == file.name && $0.state == .pending }
            }.flatMap(\.pinned))
        for one in status {
            switch (one.kind, one.state) {
            case (.table, .removed): return SchemaError(reason: .newerRelease(table: one.name))
            case (.table, .changed): return SchemaError(reason: .differentTable(one.name))
            case (.pinned, .changed) where !pinnedNow.contains(one.name),
                (.pinned, .pending) where !pinnedNow.contains(one.name):
                return SchemaError(reason: .pinnedChanged(one.name))
            default: break
            }
        }
        if let recorded = try await recordedRelease(), release.release < recorded.release {
            return SchemaError(reason: .olderRelease(release.release, than: recorded.release))
        }
        return nil
    }

    /// What the database records after this release has migrated it. `oldestServed` never falls: what a release took away
    /// from older workers stays away.
    private func release(after recorded: SchemaRelease?) -> SchemaRelease {
        guard let recorded else { return release }
        guard recorded.release <= release.release else { return recorded }
        return SchemaRelease(
            release: release.release, oldestServed: max(recorded.oldestServed, release.oldestServed))
    }

    /// The release whose older workers stop claiming jobs when this one migrates; nil if none does.
    package func newOldestServed() async throws -> ReleaseVersion? {
        guard let recorded = try await recordedRelease() else { return nil }
        let next = release(after: recorded).oldestServed
        return recorded.oldestServed < next ? next : nil
    }

    /// Runs a table file, inserting the pinned functions where it names them.
    private func applyTable(_ file: SchemaFile) async throws {
        var script = ""
        for line in file.text.split(separator: "\n", omittingEmptySubsequences: false) {
            let named = SchemaFile(path: file.path, text: String(line)).pinned
            guard !named.isEmpty else {
                script += line + "\n"
                continue
            }
            try await connection.execute(script)
            script = ""
            for name in named {
                guard let pinned = files.first(where: { $0.kind == .pinned && $0.name == name }) else {
                    throw SchemaError(reason: .unknownPinned(name, table: file.name))
                }
                try await connection.execute(pinned.text)
                try await record(pinned)
            }
        }
        try await connection.execute(script)
        try await record(file)
    }

    /// Runs the statements of a file one by one; each ends with a semicolon at the end of a line. An interrupted call
    /// may have run some of them already, so all must be safe to repeat.
    private func applyOutside(
        _ file: SchemaFile, progress: (SchemaStatus) -> Void
    ) async throws -> [SchemaStatus] {
        try await alone { try await applyStatements(of: file, progress: progress) }
    }

    /// Calls `body`, which commits more than once, while no other migration runs.
    private func alone<T>(_ body: () async throws -> T) async throws -> T {
        try await connection.query("select pg_advisory_lock(\(Self.lock))")
        let result: Result<T, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // If the connection is gone, so is the lock.
        _ = try? await connection.query("select pg_advisory_unlock(\(Self.lock))")
        return try result.get()
    }

    private func applyStatements(
        of file: SchemaFile, progress: (SchemaStatus) -> Void
    ) async throws -> [SchemaStatus] {
        // Another call may have done it before this one got the lock.
        guard try await recorded()[file.name] == nil else { return [] }
        let status = SchemaStatus(kind: file.kind, name: file.name, state: .pending, appliedAt: nil)
        progress(status)
        let before = try await definitionNames()
        for statement in file.text.split(separator: ";\n") {
            try await connection.execute(String(statement))
        }
        try await recordDefinitions(madeSince: before)
        try await record(file)
        return [status]
    }
}
