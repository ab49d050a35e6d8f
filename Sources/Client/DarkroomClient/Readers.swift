import Postgres
import Synchronization

/// What a read must see, and how long it may wait for that.
struct ReadNeed: Sendable {
    let position: WritePosition
    let limit: Duration
}

/// The servers that feeds and the map are read from, each with a bound of its lag.
///
/// The lag is not asked of a standby, which does not know it: one that is cut off has replayed all that it received, and on an
/// idle primary the last transaction may be hours old. So positions of the writing server are recorded with the time before each
/// was asked for. A reader that has replayed such a position had, at that time, all that was committed. This holds
/// without a connection between the two, with an idle primary, and needs no rights. Clocks are not compared.
///
/// The positions are those up to which the log is flushed, because only that is sent to standbys. A server with
/// `synchronous_commit = off` flushes up to 0.6 s later (three times `wal_writer_delay`).
///
/// A reader that is not a standby may be the writing server, which has everything. Any other one, such as the primary server of
/// before a promotion, has a log of its own and is not used.
final class Readers: Sendable {
    struct Status {
        /// The latest time of which it has everything; nil if that is not known.
        var currentAt: ContinuousClock.Instant?
        /// How often in a row it did not respond.
        var failures = 0
        /// When to try one again that did not respond; nil if it does.
        var retryAt: ContinuousClock.Instant?
    }

    struct State {
        var statuses: [Status]
        /// Those that are being measured.
        var measured: Set<Int> = []
        /// Oldest first. Those older than the greatest lag are of no use.
        var positions: [(at: ContinuousClock.Instant, bytes: Int64)] = []
        /// When the writing server was started.
        var writerStarted: Int64?
        var sampledAt: ContinuousClock.Instant?
        var sampling: Task<Void, Never>?
        var turn = 0
    }

    /// How long a server may take before it counts as away.
    let patience: Duration

    /// By which lags are measured.
    let now: @Sendable () -> ContinuousClock.Instant
    let writer: PostgresPool
    let pools: [PostgresPool]
    let maxLag: Duration
    let interval: Duration
    let state: Mutex<State>

    init(
        _ pools: [PostgresPool], writer: PostgresPool, maxLag: Duration, patience: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.now = now
        self.pools = pools
        self.writer = writer
        self.maxLag = maxLag
        self.patience = patience
        interval = min(max(maxLag / 4, .milliseconds(50)), .seconds(1))
        state = Mutex(State(statuses: pools.map { _ in Status() }))
    }

    func close() async {
        for pool in pools { await pool.close() }
    }

    /// Runs a statement that only reads on one reader, or else on the writing server.
    ///
    /// One whose reader is lost meanwhile runs on the next reader: a read may run twice.
    func query(_ query: PostgresQuery, _ need: ReadNeed?) async throws -> PostgresRows {
        let end = ContinuousClock.now + (need?.limit ?? .zero)
        search: while true {
            let chosen = await choose()
            // Without a need, the first one has what is asked for.
            for number in chosen {
                do {
                    if let rows = try await self.query(query, need, on: pools[number]) { return rows }
                } catch let error as PostgresError where error.isOfReader {
                    guard error.isAway else { break search }
                    markAway(number)
                    // The next one may be there, but nobody waits for two that say nothing.
                    if error.code == .timeout { break search }
                }
            }
            guard !chosen.isEmpty, ContinuousClock.now < end else { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        return try await writer.query(query)
    }

    /// Nil if this reader has not come as far as is needed.
    private func query(
        _ query: PostgresQuery, _ need: ReadNeed?, on pool: PostgresPool
    ) async throws -> PostgresRows? {
        try await withDeadline(patience) { () async throws -> PostgresRows? in
            try await pool.withConnection { (connection: PostgresConnection) async throws -> PostgresRows? in
                // On the same connection: a standby that crashes begins again at an earlier position.
                if let need,
                    UInt64(try await connection.serverPosition().bytes) < need.position.bytes
                {
                    return nil
                }
                return try await connection.query(query)
            }
        }
    }

    /// The readers that can be used, the one whose turn it is first.
    private func choose() async -> [Int] {
        let (chosen, sampling) = state.withLock { state in
            startSampling(&state)
            return (takeTurn(&state), state.sampling)
        }
        // Others use what is known while it is measured again.
        guard chosen.isEmpty, let sampling else { return chosen }
        await sampling.value
        return state.withLock { takeTurn(&$0) }
    }

    /// The readers that are there and not too far behind.
    func ready(_ state: State) -> [Int] {
        let oldest = now() - maxLag
        return state.statuses.indices.filter {
            state.statuses[$0].retryAt == nil && state.statuses[$0].currentAt.map { $0 >= oldest } ?? false
        }
    }

    private func takeTurn(_ state: inout State) -> [Int] {
        let found = ready(state)
        guard !found.isEmpty else { return [] }
        state.turn += 1
        let first = state.turn % found.count
        return Array(found[first...] + found[..<first])
    }
}

/// How far a server has come.
struct ServerPosition: Sendable {
    /// What a standby has replayed of the log, or what another server has written to it, in bytes.
    let bytes: Int64
    /// When a server that is not a standby was started, in microseconds since 1970: by this it is told from another one.
    let started: Int64?
}

extension PostgresConnection {
    func serverPosition() async throws -> ServerPosition {
        let row = try await query(
            """
            select (case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0')
                    else pg_current_wal_insert_lsn() end - '0/0'::pg_lsn)::bigint as bytes,
                   case when not pg_is_in_recovery() then \(unescaped: Self.started) end as started
            """)[0]
        return ServerPosition(
            bytes: try row.decode("bytes", as: Int64.self),
            started: try row.decode("started", as: Int64?.self))
    }

    static let started = "(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint"
}

extension PostgresError {
    /// Whether another server may do what this one did not: it is away, its schema is that of before a migration, or it had to
    /// replay what the statement was reading (40001, 57014).
    fileprivate var isOfReader: Bool { isOutage || isContention || isSchemaMismatch }

    fileprivate var isAway: Bool { isOutage && sqlState != .queryCanceled }
}
