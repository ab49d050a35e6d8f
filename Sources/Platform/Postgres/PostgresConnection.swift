import CLibPQ
import Glibc
import Synchronization

/// One connection to PostgreSQL, on its own thread.
///
/// Calls run one after the other; each waits for those before it. Cancelling a task whose query is running cancels
/// it on the server, and the connection stays usable. The session is in UTC with ISO dates and UTF-8, and no setting of
/// the role or the database limits or changes what its statements do.
package actor PostgresConnection {
    enum Link {
        case connecting
        case open(ConnectionHandle)
        case closed(PostgresError)
    }

    /// What others may know about the connection while it is busy: written on its thread only.
    struct Vitals: Sendable {
        /// Working and outside a transaction, so that another task can use it.
        var isReusable = false
        /// Open and, as far as is known, alive.
        var isOpen = false
        var descriptor: Int32 = -1
    }

    nonisolated let thread: ConnectionThread
    nonisolated private let vitals = Mutex(Vitals())
    let commitTimeout: Duration
    private(set) var link = Link.connecting
    var notifications: [PostgresNotification] = []
    var isListening = false
    /// Nil if this connection keeps none.
    var statements: KeptStatements?

    nonisolated package var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(_ configuration: PostgresConfiguration) throws {
        commitTimeout = configuration.commitTimeout
        statements = configuration.keepsStatements ? KeptStatements() : nil
        thread = try ConnectionThread()
    }

    deinit { thread.stop() }

    /// Connects, within `configuration.connectTimeout`.
    ///
    /// Throws `PostgresError` with code `invalidConfiguration`, `connectionFailed` or `timeout`; a server that refused
    /// gives its SQLSTATE. Throws
    /// `CancellationError` promptly when the task is cancelled, except during the lookup of a host name.
    package static func connect(_ configuration: PostgresConfiguration) async throws -> PostgresConnection {
        let connection = try PostgresConnection(configuration)
        try await connection.onCancelWake { try await connection.open(configuration) }
        return connection
    }

    /// Runs one statement. Several statements are an error; for `COPY` see `copy(_:from:)`.
    ///
    /// Throws `PostgresError`, or `CancellationError` if the task was cancelled and the statement had no effect.
    /// A statement that ended before the cancellation reached it returns its rows.
    @discardableResult
    nonisolated package func query(_ query: PostgresQuery) async throws -> PostgresRows {
        let parameters = try query.parameterTexts()
        try requireText(query.sql)
        return try await onCancelWake { try await self.exchange(query.sql, parameters) }
    }

    /// Runs a script of any number of statements, without parameters. The statements share one implicit
    /// transaction, except where the script controls transactions itself. Throws like `query`.
    nonisolated package func execute(_ script: String) async throws {
        try requireText(script)
        try await onCancelWake { try await self.exchange(script: script) }
    }

    /// Closes the connection after the calls before this one. Later calls throw `connectionClosed`.
    package func close() async {
        abandon(PostgresError(.connectionClosed, "the connection to PostgreSQL has been closed"))
    }

    /// The server process of this connection, as in `pg_stat_activity.pid`.
    package var backendProcessID: Int32 {
        if case .open(let handle) = link { handle.processID } else { 0 }
    }

    /// Throws `encoding` for what cannot be sent.
    nonisolated func requireText(_ sql: String) throws(PostgresError) {
        guard !sql.utf8.contains(0) else {
            throw PostgresError(.encoding, "the SQL text has a NUL character")
        }
    }
}

extension PostgresConnection {
    /// Runs `body`; cancelling the task wakes the thread, which then sees `Task.isCancelled`.
    ///
    /// Neither this nor `body` is isolated: the caller installs the handler, and only the isolated calls in `body` run
    /// on the thread. From isolated code, `withTaskCancellationHandler` leaves the actor's executor.
    nonisolated func onCancelWake<T: Sendable>(_ body: () async throws -> T) async rethrows -> T {
        try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            thread.wake()
        }
    }

    func exchange(_ sql: String, _ parameters: [String?], inBinary: Bool = false) throws -> PostgresRows {
        if !inBinary, let rows = try exchangeKept(sql, parameters) { return rows }
        return try run { $0.send(sql, parameters, inBinary: inBinary) }
    }

    private func exchange(script: String) throws {
        _ = try run { $0.send(script: script) }
    }

    private func open(_ configuration: PostgresConfiguration) throws {
        do {
            try openNow(configuration)
        } catch {
            abandon(PostgresError(.connectionClosed, "the connection to PostgreSQL was never opened"))
            throw error
        }
    }

    /// Whether another task can use the connection: open, outside a transaction, not listening.
    nonisolated var isReusable: Bool { vitals.withLock(\.isReusable) }

    /// Whether nothing suggests that the connection is dead. Only while no call runs on it: a server sends nothing to
    /// an idle connection except its goodbye, so pending input means that it is dead. Does not block.
    nonisolated var seemsAlive: Bool {
        let vitals = vitals.withLock { $0 }
        guard vitals.isOpen else { return false }
        var socket = pollfd(fd: vitals.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) == 0
    }

    private func openNow(_ configuration: PostgresConfiguration) throws {
        let deadline = ContinuousClock.now + configuration.connectTimeout
        let hosts = try configuration.hosts
        var refusals: [PostgresError] = []
        for (index, host) in hosts.enumerated() {
            let others = hosts.count - index - 1
            let share = min(PostgresConfiguration.patience, (deadline - .now) / (others + 1))
            do {
                return try open(configuration, host, until: others == 0 ? deadline : .now + share)
            } catch let error as PostgresError where [.connectionFailed, .timeout].contains(error.code) {
                refusals.append(error)
            }
        }
        if var last = refusals.last {
            last.message = refusals.map(\.message).joined(separator: "; ")
            last.sqlState = refusals.lazy.compactMap(\.sqlState).first
            throw last
        }
        try open(configuration, nil, until: deadline)
    }

    private func open(
        _ configuration: PostgresConfiguration, _ host: PostgresHost?, until deadline: ContinuousClock.Instant
    ) throws {
        try Task.checkCancellation()
        let handle = try ConnectionHandle(configuration, host: host)
        var step = ConnectionHandle.ConnectStep.wait(POLLOUT)
        while case .wait(let events) = step {
            // The socket changes from one address to the next.
            switch try thread.wait(for: handle.socket, events: events, until: deadline) {
            case .ready: step = try handle.connectStep()
            case .signalled: try Task.checkCancellation()
            case .deadline: throw handle.timedOut()
            }
        }
        try settleSession(handle, configuration, until: deadline)
        link = .open(handle)
        noteVitals()
    }

    func abandon(_ reason: PostgresError) {
        if case .closed = link { return }
        link = .closed(reason)
        noteVitals()
    }

    func noteVitals() {
        var now = Vitals()
        if case .open(let handle) = link, !handle.isBroken {
            now.isOpen = true
            now.isReusable = handle.transactionStatus == PQTRANS_IDLE && !isListening
            now.descriptor = handle.socket
        }
        vitals.withLock { [now] in $0 = now }
    }

    func openHandle() throws -> ConnectionHandle {
        // The code below blocks its thread, so it must run on the connection's own.
        preconditionIsolated()
        switch link {
        case .open(let handle): return handle
        case .closed(let reason): throw reason
        case .connecting:
            throw PostgresError(.connectionClosed, "the connection to PostgreSQL is not open yet")
        }
    }

    func transactionStatus() throws -> PGTransactionStatusType { try openHandle().transactionStatus }
}
