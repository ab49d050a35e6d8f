package import Postgres
import Synchronization

/// A session next to a test's pool. The test runs it statement by statement, so that two transactions meet at a
/// certain point.
package struct Rival: Sendable {
    package let session: PostgresConnection
    private let observer: PostgresPool

    fileprivate init(session: PostgresConnection, observer: PostgresPool) {
        self.session = session
        self.observer = observer
    }

    package func run(_ query: PostgresQuery) async throws {
        try await session.query(query)
    }

    /// Starts a statement on the session, and returns as soon as it waits for a lock or has ended.
    package func start(_ query: PostgresQuery) async throws -> Task<Void, any Error> {
        try await start { (session: PostgresConnection) async throws -> Void in try await session.query(query)
        }
    }

    /// Starts something on the session, and returns as soon as it waits for a lock or has ended.
    package func start<T: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) async throws -> T
    ) async throws -> Task<T, any Error> {
        let process = await Int(session.backendProcessID)
        let ended = Flag()
        let task = Task {
            defer { ended.raise() }
            return try await body(session)
        }
        try await until("it waits or has ended", every: .milliseconds(1)) {
            guard !ended.isRaised else { return true }
            let waiting = try await observer.query(
                "select from pg_stat_activity where pid = \(process) and wait_event_type = 'Lock'")
            return !waiting.isEmpty
        }
        return task
    }
}

private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock(\.self) }
    func raise() { state.withLock { $0 = true } }
}

extension QueueDatabase {
    /// Starts something that uses the pool, and returns as soon as it makes one more session of this database wait for a
    /// lock, or has ended.
    package func start<T: Sendable>(
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> Task<T, any Error> {
        func waiting() async throws -> Int {
            try await pool.query(
                """
                select from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
                """
            ).count
        }
        let before = try await waiting()
        let ended = Flag()
        let task = Task {
            defer { ended.raise() }
            return try await body()
        }
        try await until("one more waits or it has ended", every: .milliseconds(1)) {
            guard !ended.isRaised else { return true }
            return try await waiting() > before
        }
        return task
    }
}

extension QueueDatabase {
    /// Calls `body` with two separate sessions, which are always closed afterwards.
    package func withRivals(_ body: (_ first: Rival, _ second: Rival) async throws -> Void) async throws {
        let first = try await PostgresConnection.connect(configuration)
        let second = try await PostgresConnection.connect(configuration)
        let result: Result<Void, any Error>
        do {
            try await body(
                Rival(session: first, observer: pool), Rival(session: second, observer: pool))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await first.close()
        await second.close()
        try result.get()
    }
}
