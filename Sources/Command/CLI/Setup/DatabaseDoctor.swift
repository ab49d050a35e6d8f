import Arguments
import CommandSupport
import FoundationEssentials
import JobStore
import Postgres
import Schema

/// Finds out whether the database can be used, and how to fix it if not.
struct DatabaseDoctor {
    typealias Finding = DoctorCommand.Finding

    /// A server that is stopped or frozen must not hold up the doctor.
    private static let limit = Duration.seconds(20)

    private let arguments: ParsedArguments
    private let patience: Duration

    /// The session to end.
    private let process: Int?

    init(_ arguments: ParsedArguments, patience: Duration) throws {
        self.arguments = arguments
        process = try arguments.int("end", in: 1...Int(Int32.max))
        self.patience = patience
    }

    func findings() async -> [Finding] {
        let configuration: PostgresConfiguration
        do {
            var given = try await Settings.configuration(arguments)
            given.connectTimeout = .seconds(5)
            configuration = given
        } catch {
            return [.wrong("database", "\(error)", mend: "do what the message says")]
        }
        let pool = PostgresPool(configuration, size: 1)
        var findings: [Finding] = []
        if let process { findings.append(await end(process, pool)) }
        let found = await look(pool)
        let failures = arguments.flag("mend") ? await mend(found) : []
        let hasMended = arguments.flag("mend") && found.contains { $0.cure != nil }
        findings += (hasMended ? await look(pool) : found) + failures
        await pool.close()
        return findings
    }

    private func look(_ pool: PostgresPool) async -> [Finding] {
        var findings: [Finding] = []
        for look in [server, writing, schema] {
            do {
                findings += try await withDeadline(Self.limit) { try await look(pool) }
            } catch {
                findings.append(.wrong("database", "\(error)", mend: remedy(for: error)))
                break
            }
        }
        return findings
    }

    /// Mends what can be mended, however long it takes. Returns what failed.
    private func mend(_ found: [Finding]) async -> [Finding] {
        var failures: [Finding] = []
        for finding in found {
            guard let cure = finding.cure else { continue }
            Output.note("mending \(finding.what): \(Terminal.printable(finding.detail))")
            do { try await cure() } catch {
                let isRefused = (error as? PostgresError)?.sqlState == .insufficientPrivilege
                failures.append(
                    .wrong(
                        "mending \(finding.what)", "\(error)",
                        mend: isRefused
                            ? "log in as the tables' owner (the user in DATABASE_URL), then again"
                            : "do what the message says"))
            }
        }
        return failures
    }

    private func end(_ process: Int, _ pool: PostgresPool) async -> Finding {
        do {
            return try await JobStore(pool: pool).endTransaction(of: process)
                ? .ok("session", "process \(process) has ended")
                : .wrong(
                    "session", "process \(process) has no transaction that holds a snapshot, or does not end",
                    mend: "'darkroom doctor' names those that have one")
        } catch {
            return .wrong(
                "session", "\(error)", mend: "log in as a user with the rights of pg_signal_backend")
        }
    }

    private func server(_ pool: PostgresPool) async throws -> [Finding] {
        let rows = try await pool.query(
            """
            select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
                   extract(epoch from clock_timestamp())::float8 as clock
            """)
        guard let row = rows.first else { return [] }
        let name = "PostgreSQL \(try row.decode("name", as: String.self))"
        let skew = try row.decode("clock", as: Double.self) - Date().timeIntervalSince1970
        let clock = "the database's clock is \((skew * 10).rounded() / 10) s ahead of this machine's clock"
        return [
            try row.decode("number", as: Int.self) >= 150_000
                ? .ok("database", name) : .wrong("database", name, mend: "use PostgreSQL 15 or newer"),
            abs(skew) < 5
                ? .ok("clock", clock)
                : .wrong("clock", clock, mend: "run a time service (NTP) on both machines"),
        ]
    }

    /// Makes the server write a megabyte: one whose disk is full still accepts connections, and reads.
    private func writing(_ pool: PostgresPool) async throws -> [Finding] {
        do {
            try await pool.withTransaction { connection in
                try await connection.execute(
                    """
                    create temporary table darkroom_doctor on commit drop as
                    select repeat('x', 1000) as filling from generate_series(1, 1000)
                    """)
            }
            return [.ok("writing", "the server writes")]
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            return [.note("writing", "not checked: this user may not create temporary tables")]
        } catch let error as PostgresError where error.code == .server {
            return [.wrong("writing", "\(error)", mend: remedy(for: error))]
        }
    }

    private func schema(_ pool: PostgresPool) async throws -> [Finding] {
        let (status, obstacle) = try await pool.withConnection { connection in
            let migrator = Migrator(connection)
            let status = try await migrator.status()
            let obstacle = try await migrator.obstacle(to: status)
            return (status, obstacle)
        }
        let pending = status.filter { $0.state != .applied }
        if let obstacle {
            return [.wrong("schema", "\(obstacle)", mend: "do what the message says")]
        }
        guard pending.isEmpty else {
            return [
                .wrong("schema", "not up to date: \(SchemaStatus.counts(pending))", mend: "darkroom migrate")
            ]
        }
        return [.ok("schema", "up to date")]
            + (try await QueueDoctor(store: JobStore(pool: pool), patience: patience).findings())
    }

    private func remedy(for error: any Error) -> String {
        guard let error = error as? PostgresError else { return "do what the message says" }
        switch error.sqlState {
        case .tooManyConnections:
            return "stop what holds connections (see pg_stat_activity), raise the server's max_connections, "
                + "or put a pooler in session mode in front of it"
        case .invalidPassword, .invalidAuthorization:
            return
                "correct the user and the password in DATABASE_URL, or allow them in the server's pg_hba.conf"
        case .undefinedDatabase: return "create the database, or correct its name in DATABASE_URL"
        case .cannotConnectNow: return "wait until the server has started; its log says what it does"
        case .diskFull: return "free or add disk space on the database's machine; jobs wait until then"
        case .readOnlyTransaction:
            return
                "connect to the primary: name all servers and target_session_attrs=read-write in DATABASE_URL"
        case .insufficientPrivilege: return "darkroom roles create, or log in as another role"
        default: break
        }
        switch error.code {
        case .connectionFailed where error.sqlState == nil:
            // Only the server of this folder is ours to start.
            return arguments.string("database")?.isEmpty == false
                ? "start the server, or correct DATABASE_URL" : "darkroom dev start"
        case .timeout:
            return "look at the server: it is stopped, overloaded, or waits for its disk; see its log"
        default: return "see the server's log"
        }
    }
}
