import DarkroomClient
import Glibc
import Postgres
import Proxying
import Synchronization

/// Enqueues uploads steadily, each in a transaction of its own, and notes what the server has promised.
///
/// Some transactions are rolled back. Of some the connection is cut when the commit is on its way, so that nobody knows
/// what became of them until the ledger is read.
final class StormUploader: Sendable {
    private enum Fate { case commit, rollBack, cutBeforeCommit, cutAfterCommit }

    struct Progress: Sendable {
        var committed = 0
        var unknown = 0
        var rolledBack = 0
        /// Photos that could not be stored, and transactions that failed before their commit.
        var refused = 0
    }

    private let site: StormSite
    private let stock: PhotoStock
    private let ledger: StormLedger
    private let client: DarkroomClient
    private let perSecond: Double
    private let seed: UInt64
    private let state = Mutex(Progress())

    init(_ site: StormSite, stock: PhotoStock, ledger: StormLedger, perSecond: Double, seed: UInt64) throws {
        self.site = site
        self.stock = stock
        self.ledger = ledger
        self.perSecond = perSecond
        self.seed = seed
        client = try DarkroomClient(database: site.servers.uploaderURL, media: site.media)
    }

    var progress: Progress { state.withLock(\.self) }

    /// Uploads until cancelled.
    func run() async {
        var random = SeededGenerator(seed: seed, stream: 1)
        var number = 0
        var connection: PostgresConnection?
        let begin = ContinuousClock.now
        while !Task.isCancelled {
            number += 1
            let kind = kind(number, &random)
            let fate: Fate =
                switch random.below(100) {
                case 0..<8: .rollBack
                case 8..<11: .cutBeforeCommit
                case 11..<14: .cutAfterCommit
                default: .commit
                }
            do {
                let photo = try await store(kind, number)
                let open: PostgresConnection
                if let connection { open = connection } else { open = try await connect() }
                connection = open
                try await upload(number, kind, photo, fate, on: open)
                if fate == .cutBeforeCommit || fate == .cutAfterCommit { connection = nil }
            } catch {
                state.withLock { $0.refused += 1 }
                await connection?.close()
                connection = nil
                try? await Task.sleep(for: .milliseconds(200))
            }
            // What an outage held up is not made up for.
            let due = begin + .seconds(Double(number) / perSecond)
            try? await Task.sleep(until: max(due, .now + .milliseconds(1)), clock: .continuous)
        }
        await connection?.close()
        await client.close()
    }

    private func connect() async throws -> PostgresConnection {
        try await PostgresConnection.connect(
            PostgresConfiguration(
                url: site.servers.uploaderURL, applicationName: "storm-uploader",
                connectTimeout: .seconds(5)))
    }

    private func kind(_ number: Int, _ random: inout SeededGenerator) -> PhotoStock.Kind {
        let draw = random.below(100)
        let bad = PhotoStock.Kind.bad[random.below(PhotoStock.Kind.bad.count)]
        if draw < 15 { return bad }
        return !stock.found.isEmpty && draw < 55 ? .found : .made
    }

    /// What an upload says of its original.
    private struct Original {
        var key: String
        var sha256: String
        var byteCount: Int64
    }

    private func store(_ kind: PhotoStock.Kind, _ number: Int) async throws -> Original {
        if kind == .missing {
            let hash = String(repeating: "0", count: 56) + String(10_000_000 + number)
            return Original(key: "originals/00/00/\(hash)", sha256: hash, byteCount: 1000)
        }
        let stored = try await client.store(bytes: stock.bytes(of: kind, number: number))
        var original = Original(key: stored.key, sha256: stored.sha256, byteCount: stored.byteCount)
        if kind == .wrongSize { original.byteCount += 1 }
        if kind == .wrongHash { original.sha256 = String(stored.sha256.reversed()) }
        return original
    }

    private func upload(
        _ number: Int, _ kind: PhotoStock.Kind, _ photo: Original, _ fate: Fate,
        on connection: PostgresConnection
    ) async throws {
        let key = "storm-\(number)"
        try await ledger.note(.began(key: key, kind.expectation))
        try await connection.execute("begin")
        let latitude: Double? = kind == .nowhere || kind == .unknownPlace ? nil : 47.6
        try await connection.query(
            """
            select darkroom.enqueue_upload(
                uploader => \("person-\(number % 9)"), original_key => \(photo.key), original_sha256 => \(photo.sha256),
                original_bytes => \(photo.byteCount), caption => \(key),
                latitude => \(latitude), longitude => \(latitude.map { _ in -122.3 }),
                place_text => \(kind == .unknownPlace ? "Atlantis, XX" : nil), idempotency_key => \(key))
            """)
        switch fate {
        case .rollBack:
            try await connection.execute("rollback")
            try await ledger.note(.rolledBack(key: key))
            state.withLock { $0.rolledBack += 1 }
        case .commit:
            do {
                try await connection.execute("commit")
            } catch {
                try await noteUnknown(key)
                throw error
            }
            try await noteCommitted(key, connection)
        case .cutBeforeCommit, .cutAfterCommit:
            let proxies = site.servers.uploaderProxies
            if fate == .cutBeforeCommit {
                for proxy in proxies { proxy.stall() }
            } else {
                for proxy in proxies { proxy.hold(1, repliesTo: "commit") }
            }
            let committing = Task { try await connection.execute("commit") }
            let deadline = ContinuousClock.now + .milliseconds(500)
            while !proxies.contains(where: { $0.isHolding || $0.held > 0 }), .now < deadline {
                try? await Task.sleep(for: .milliseconds(2))
            }
            for proxy in proxies {
                proxy.cut()
                proxy.resume()
            }
            if case .success = await committing.result {
                try await noteCommitted(key, connection)
            } else {
                try await noteUnknown(key)
            }
            await connection.close()
        }
    }

    private func noteCommitted(_ key: String, _ connection: PostgresConnection) async throws {
        // Unknown if the connection is lost now: then no promise can be placed before or behind a failover.
        let position =
            try? await connection.query(
                "select (pg_current_wal_insert_lsn() - '0/0')::bigint as position"
            )[0].decode("position", as: Int64.self)
        try await ledger.note(.committed(key: key, position: UInt64(position ?? .max)))
        state.withLock { $0.committed += 1 }
    }

    private func noteUnknown(_ key: String) async throws {
        try await ledger.note(.unknown(key: key))
        state.withLock { $0.unknown += 1 }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
