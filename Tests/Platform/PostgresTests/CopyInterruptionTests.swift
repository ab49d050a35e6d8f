import Postgres
import Synchronization
import TestKit
import Testing

/// Endless rows that count how many were asked for.
private final class EndlessRows: Sendable {
    private let count = Mutex(0)

    var produced: Int { count.withLock { $0 } }

    func copy(into connection: PostgresConnection) async throws {
        try await connection.copy("copy t from stdin") { buffer in
            let number = self.count.withLock { count in
                count += 1
                return count
            }
            try buffer.append(number, "a note of some length, so that buffers fill")
            return true
        }
    }
}

@Suite(.timeLimit(.minutes(15))) struct CopyInterruptionTests {
    private func withTable(
        _ body: (_ copier: PostgresConnection, _ observer: PostgresConnection) async throws -> Void
    ) async throws {
        try await withConnection { observer, database in
            try await observer.execute("create table t (i int primary key, note text)")
            let copier = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            try await body(copier, observer)
            await copier.close()
        }
    }

    private func expectUsable(_ connection: PostgresConnection, process: Int32) async throws {
        #expect(try await connection.query("select from t").isEmpty)
        let stored = try await connection.copy("copy t from stdin", of: 1...2) { try $1.append($0, "x") }
        #expect(stored == 2)
        #expect(await connection.backendProcessID == process)
    }

    @Test func cancellingATaskEndsItsCopy() async throws {
        try await withTable { copier, _ in
            let process = await copier.backendProcessID
            let rows = EndlessRows()
            let task = Task { try await rows.copy(into: copier) }
            try await until("rows are on their way") { rows.produced > 20_000 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await expectUsable(copier, process: process)
        }
    }

    @Test func aCancelledTaskCopiesNothing() async throws {
        try await withTable { copier, _ in
            let rows = EndlessRows()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await rows.copy(into: copier)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(rows.produced == 0)
        }
    }

    /// Calls `body` while the server is stuck at the copy's row 3, because another session has inserted the same row.
    private func whileTheServerWaits(
        _ copier: PostgresConnection, _ observer: PostgresConnection, _ rows: EndlessRows,
        _ body: (_ task: Task<Void, any Error>, _ process: Int) async throws -> Void
    ) async throws {
        try await observer.execute("begin; insert into t values (3)")
        let process = await Int(copier.backendProcessID)
        let task = Task { try await rows.copy(into: copier) }
        try await until("the copy waits for the other session") {
            try await observer.query(
                "select from pg_stat_activity where pid = \(process) and wait_event_type = 'Lock'"
            ).count == 1
        }
        try await body(task, process)
    }

    @Test func rowsAreMadeNoFasterThanTheServerTakesThem() async throws {
        try await withTable { copier, observer in
            let process = await copier.backendProcessID
            let rows = EndlessRows()
            try await whileTheServerWaits(copier, observer, rows) { task, _ in
                var last = -1
                var unchanged = 0
                try await until("the producer pauses") {
                    unchanged = rows.produced == last ? unchanged + 1 : 0
                    last = rows.produced
                    return unchanged > 20
                }
                // Only a separate request reaches a server that does not read.
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            try await observer.execute("rollback")
            try await expectUsable(copier, process: process)
        }
    }

    @Test func aServerProcessThatEndsIsALostConnection() async throws {
        try await withTable { copier, observer in
            let rows = EndlessRows()
            try await whileTheServerWaits(copier, observer, rows) { task, process in
                try await observer.query("select pg_terminate_backend(\(process))")
                let error = try await postgresError { try await task.value }
                #expect(error.code == .connectionLost)
                #expect(error.sqlState == "57P01")
            }
            let later = try await postgresError { try await copier.query("select 1") }
            #expect(later.code == .connectionLost)
        }
    }
}
