import Synchronization

/// A limited number of connections, opened when needed and shared by any number of tasks.
///
/// Tasks that wait for a connection are served in order, and can be cancelled. A connection that broke, or that
/// comes back inside a transaction or listening, is closed and replaced when next needed. One that nobody needed for
/// the idle limit is closed, so that many pools can share a server that has fewer connections than all of them
/// together.
///
/// While the server has no free connection, tasks wait for one of this pool to come back, and the pool tries to open
/// one from time to time.
package final class PostgresPool: Sendable {
    let configuration: PostgresConfiguration
    let state: Mutex<State>

    /// - Parameters:
    ///   - size: the most connections that the pool has at a time; at least 1.
    ///   - idleLimit: how long a connection stays open when nobody needs it; zero closes it as soon as it comes back.
    package init(_ configuration: PostgresConfiguration, size: Int, idleLimit: Duration = .seconds(10)) {
        precondition(size > 0, "a pool needs at least one connection")
        self.configuration = configuration
        state = Mutex(State(size: size, idleLimit: idleLimit))
    }

    /// Lends a connection to `body`, which must not keep it.
    ///
    /// Waits while all are lent out, and while the server has no free connection, for as long as the task's deadline
    /// allows (see `withDeadline`). Throws what connecting and `body` throw, `poolClosed`, or `CancellationError`.
    /// If the deadline passes while the server has no free connection, throws its refusal (`connectionFailed` with
    /// `tooManyConnections`).
    package func withConnection<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        let connection = try await borrow()
        do {
            let value = try await body(connection)
            await giveBack(connection)
            return value
        } catch let error as PostgresError where error.sqlState == .readOnlyTransaction {
            // It leads to a standby, which stays one. The next connection may lead to the primary server.
            await end([connection])
            throw error
        } catch {
            await giveBack(connection)
            throw error
        }
    }

    /// Runs `body` in a transaction on a connection from the pool; see `PostgresConnection.transaction`.
    ///
    /// If the server ends the transaction to resolve a deadlock or a serialization failure, `body` runs again, up to five
    /// times: what it does outside of the transaction must be safe to repeat.
    package func withTransaction<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        try await retrying { try await withConnection { try await $0.transaction(body) } }
    }

    /// Runs one statement on any connection, and again as `withTransaction` does.
    @discardableResult
    package func query(_ query: PostgresQuery) async throws -> PostgresRows {
        try await retrying { try await withConnection { try await $0.query(query) } }
    }

    /// The only place that tries again. The random wait keeps two transactions from meeting again.
    private func retrying<T>(_ body: () async throws -> T) async throws -> T {
        for turn in 1...4 {
            do {
                return try await body()
            } catch let error as PostgresError where error.wasVictim {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...(20 << turn))))
            }
        }
        return try await body()
    }

    /// Changes the limits. Connections that are now too many are closed: idle ones before this returns, lent ones when
    /// they come back.
    ///
    /// - Parameter idleLimit: nil to leave it as it is.
    package func resize(to size: Int, idleLimit: Duration? = nil) async {
        precondition(size > 0, "a pool needs at least one connection")
        let surplus = update { state in
            state.size = size
            state.idleLimit = idleLimit ?? state.idleLimit
            restartReaper(&state)
            return state.takeIdle(min(state.open - size, state.idle.count))
        }
        await end(surplus)
    }

    /// Closes idle connections at once and lent ones when they come back. Waiting tasks get `poolClosed`.
    package func close() async {
        let (idle, waiters) = state.withLock { state in
            state.isClosed = true
            state.reaper?.cancel()
            state.endBackoff()
            defer { state.waiters = [] }
            return (state.takeIdle(state.idle.count), state.waiters)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
        await end(idle)
    }

    /// How many tasks are waiting for a connection.
    package var waiting: Int { state.withLock(\.waiters.count) }

    /// How many connections it has.
    package var connections: Int { state.withLock(\.open) }

    static let closed = PostgresError(.poolClosed, "the pool of database connections has been closed")
}

extension PostgresPool {
    struct State {
        var size: Int
        var idleLimit: Duration
        /// The connections that exist or are being opened or closed.
        var open = 0
        /// In the order in which they came back; the last one is lent next.
        var idle: [(connection: PostgresConnection, since: ContinuousClock.Instant)] = []
        /// Closes what was idle for too long; nil while nothing is idle.
        var reaper: Task<Void, Never>?
        /// In the order of their tickets.
        var waiters: [Waiter] = []
        var tickets = 0
        /// Set while the server has no free connection. Then waiters do not connect on their own.
        var backoff: Backoff?
        var isClosed = false

        init(size: Int, idleLimit: Duration) {
            self.size = size
            self.idleLimit = idleLimit
        }

        mutating func endBackoff() {
            backoff?.task.cancel()
            backoff = nil
        }

        /// Removes those that were idle longest.
        mutating func takeIdle(_ count: Int) -> [PostgresConnection] {
            defer { idle.removeFirst(max(count, 0)) }
            return idle.prefix(max(count, 0)).map(\.connection)
        }

        mutating func takeGrants() -> [(waiter: Waiter, connection: PostgresConnection?)] {
            var grants: [(Waiter, PostgresConnection?)] = []
            while !waiters.isEmpty {
                if let newest = idle.popLast() {
                    grants.append((waiters.removeFirst(), newest.connection))
                } else if open < size, backoff == nil {
                    open += 1
                    grants.append((waiters.removeFirst(), nil))
                } else {
                    break
                }
            }
            return grants
        }
    }

    struct Waiter {
        let ticket: Int
        /// Gets an idle connection, or nil for the right to open one.
        let continuation: CheckedContinuation<PostgresConnection?, any Error>
    }

    struct Backoff {
        /// What the server said last.
        var refusal: PostgresError
        /// Connects for the waiters.
        let task: Task<Void, Never>
    }

    /// Changes the state, and then serves those whose turn it became.
    func update<T>(_ change: (inout State) -> T) -> T {
        let (value, grants) = state.withLock { state in
            let value = change(&state)
            let grants = state.takeGrants()
            if !state.idle.isEmpty, state.reaper == nil { restartReaper(&state) }
            return (value, grants)
        }
        // Not within the lock, which the cancellation handler of a waiter takes while it holds its task.
        for grant in grants { grant.waiter.continuation.resume(returning: grant.connection) }
        return value
    }
}
