import Synchronization

/// A fixed number of connections, opened when first needed and shared by any number of tasks.
///
/// Tasks that wait for a connection are served in order, and can be cancelled. A connection that broke, or that
/// comes back inside a transaction or listening, is closed and replaced when next needed.
package final class PostgresPool: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        /// How many more connections may be lent out.
        var free: Int
        var waiters: [Waiter] = []
        var nextWaiter = 0
        var isClosed = false
    }

    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<PostgresConnection?, any Error>
    }

    private let configuration: PostgresConfiguration
    private let state: Mutex<State>

    /// A pool of at most `size` connections, at least 1.
    package init(_ configuration: PostgresConfiguration, size: Int) {
        precondition(size > 0, "a pool needs at least one connection")
        self.configuration = configuration
        state = Mutex(State(free: size))
    }

    /// Lends a connection to `body`, which must not keep it.
    ///
    /// Waits while all are lent out. Throws what connecting and `body` throw, `poolClosed`, or
    /// `CancellationError`.
    package func withConnection<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        let connection = try await borrow()
        do {
            let value = try await body(connection)
            await giveBack(connection)
            return value
        } catch {
            await giveBack(connection)
            throw error
        }
    }

    /// Runs `body` in a transaction on a connection from the pool; see `PostgresConnection.transaction`.
    package func withTransaction<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        try await withConnection { try await $0.transaction(body) }
    }

    /// Runs one statement on any connection.
    @discardableResult
    package func query(_ query: PostgresQuery) async throws -> PostgresRows {
        try await withConnection { try await $0.query(query) }
    }

    /// Closes idle connections at once and lent ones when they come back. Waiting tasks get `poolClosed`.
    package func close() async {
        let (idle, waiters) = state.withLock { state in
            state.isClosed = true
            defer {
                state.idle = []
                state.waiters = []
            }
            return (state.idle, state.waiters)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
        for connection in idle { await connection.close() }
    }

    /// How many tasks are waiting for a connection.
    package var waiting: Int { state.withLock(\.waiters.count) }

    private static let closed = PostgresError(.poolClosed, "the pool of database connections has been closed")
}

extension PostgresPool {
    private enum Claim {
        case granted(PostgresConnection?)
        case closed
        case queued
    }

    /// An idle connection, or a new one.
    private func borrow() async throws -> PostgresConnection {
        try Task.checkCancellation()
        if let connection = try await claim() {
            if connection.seemsAlive { return connection }
            await connection.close()
        }
        do {
            return try await PostgresConnection.connect(configuration)
        } catch {
            release(nil)
            throw error
        }
    }

    /// Takes the right to one connection, with an idle connection if there is one.
    private func claim() async throws -> PostgresConnection? {
        let id = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let claim = state.withLock { state -> Claim in
                    if state.isClosed { return .closed }
                    guard state.free == 0 else {
                        state.free -= 1
                        return .granted(state.idle.popLast())
                    }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    return .queued
                }
                switch claim {
                case .granted(let connection): continuation.resume(returning: connection)
                case .closed: continuation.resume(throwing: Self.closed)
                case .queued:
                    // The handler may have run before there was a waiter to find.
                    if Task.isCancelled { cancelWaiter(id) }
                }
            }
        } onCancel: {
            cancelWaiter(id)
        }
    }

    private func cancelWaiter(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func giveBack(_ connection: PostgresConnection) async {
        guard connection.isReusable else {
            // Closed before its slot is passed on, so that there are never more connections than `size`.
            await connection.close()
            release(nil)
            return
        }
        if !release(connection) { await connection.close() }
    }

    /// Passes the right to a connection on, together with `connection`. False if the pool is closed.
    @discardableResult
    private func release(_ connection: PostgresConnection?) -> Bool {
        let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
            if state.isClosed { return (nil, true) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), false) }
            state.free += 1
            if let connection { state.idle.append(connection) }
            return (nil, false)
        }
        waiter?.continuation.resume(returning: connection)
        return !isClosed
    }
}
