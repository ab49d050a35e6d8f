import Arguments
import CLinux
import FoundationEssentials
import Gazetteer
import Glibc
import Imaging
import JobStore
import MediaStore
import Postgres

/// `darkroom doctor`: is everything set up, and if not, what mends it.
enum DoctorCommand {
    struct Finding {
        let what: String
        /// Nil where all is well.
        let remedy: String?
        let detail: String
    }

    static let command = Command(
        "doctor", "Check that everything is set up, and say what mends what is not.",
        options: [Settings.json, Settings.database, Settings.media, Settings.gazetteer],
        examples: [Example("darkroom doctor", "a line a check; exits with 1 where something is wrong")]
    ) { arguments in
        var findings = await database(arguments)
        findings.append(await media(arguments))
        findings.append(gazetteer(arguments))
        findings.append(await renderer())
        if arguments.flag("json") {
            for finding in findings {
                Output.line(
                    JSON.object([
                        ("check", .string(finding.what)), ("ok", .bool(finding.remedy == nil)),
                        ("detail", .string(finding.detail)),
                        ("remedy", JSON.optional(finding.remedy) { .string($0) }),
                    ]).line)
            }
        } else {
            for finding in findings {
                Output.line(
                    "\(finding.remedy == nil ? "ok     " : "WRONG  ")\(finding.what): \(finding.detail)")
                if let remedy = finding.remedy { Output.line("       mend: \(remedy)") }
            }
        }
        if findings.contains(where: { $0.remedy != nil }) { throw ExitCode(1) }
    }

    private static func database(_ arguments: ParsedArguments) async -> [Finding] {
        var findings: [Finding] = []
        let connection: PostgresConnection
        do {
            var configuration = try await Settings.configuration(arguments)
            configuration.connectTimeout = .seconds(5)
            connection = try await PostgresConnection.connect(configuration)
        } catch {
            return [
                Finding(
                    what: "database", remedy: "darkroom dev start, or set DATABASE_URL to a server that runs",
                    detail: "\(error)")
            ]
        }
        do {
            let rows = try await connection.query(
                """
                select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
                       extract(epoch from clock_timestamp())::float8 as clock
                """)
            let version = try rows[0].decode("number", as: Int.self)
            let name = try rows[0].decode("name", as: String.self)
            findings.append(
                Finding(
                    what: "database", remedy: version >= 150_000 ? nil : "use PostgreSQL 15 or newer",
                    detail: "PostgreSQL \(name)"))
            let skew = try rows[0].decode("clock", as: Double.self) - Date().timeIntervalSince1970
            findings.append(
                Finding(
                    what: "clock", remedy: abs(skew) < 5 ? nil : "run a time service (NTP) on both machines",
                    detail: "the database's is \((skew * 10).rounded() / 10) s ahead of this machine's"))
            let pending = try await Migrator(connection).status().filter { $0.state != .applied }
            findings.append(
                Finding(
                    what: "schema", remedy: pending.isEmpty ? nil : "darkroom migrate",
                    detail: pending.isEmpty
                        ? "up to date"
                        : pending.map { "\($0.version) \($0.name) is \($0.state.rawValue)" }.joined(
                            separator: ", ")))
            if pending.isEmpty { findings.append(try await workers(connection)) }
        } catch {
            findings.append(
                Finding(what: "database", remedy: "see what the error says", detail: "\(error)"))
        }
        await connection.close()
        return findings
    }

    /// That nobody works is no fault while nothing waits.
    private static func workers(_ connection: PostgresConnection) async throws -> Finding {
        let rows = try await connection.query(
            """
            select (select count(*) from darkroom.workers
                    where heartbeat_at > clock_timestamp() - make_interval(secs => \(JobStore.leaseDuration.seconds)))
                       as living,
                   exists (select from darkroom.jobs where waits_for is null and lease is null) as waiting
            """)
        let living = try rows[0].decode("living", as: Int.self)
        let waiting = try rows[0].decode("waiting", as: Bool.self)
        return Finding(
            what: "workers", remedy: living == 0 && waiting ? "darkroom work" : nil,
            detail: "\(living) alive, \(waiting ? "jobs are waiting" : "no job is waiting")")
    }

    private static func media(_ arguments: ParsedArguments) async -> Finding {
        let location = Settings.mediaLocation(arguments)
        do {
            let store = try LocalMediaStore(location: location)
            _ = try store.makeUnnamedRendition()
            return Finding(what: "media store", remedy: nil, detail: "\(store.root) can be written")
        } catch {
            return Finding(
                what: "media store", remedy: "make \(location) writable, or set DARKROOM_MEDIA",
                detail: "\(error)")
        }
    }

    private static func gazetteer(_ arguments: ParsedArguments) -> Finding {
        do {
            let info = try Settings.openGazetteer(arguments).info
            return Finding(
                what: "gazetteer", remedy: nil,
                detail: "\(info.placeCount) places in \(info.countryCount) countries")
        } catch {
            return Finding(
                what: "gazetteer", remedy: "darkroom gazetteer build, or set DARKROOM_GAZETTEER",
                detail: "\(error)")
        }
    }

    /// A renderer that starts, loads its libraries and sends a verdict on one empty file.
    private static func renderer() async -> Finding {
        do {
            let renderers = try Settings.renderers(size: 1)
            let input = linux_open_memory_file("empty")
            defer { close(input) }
            let verdict: Result<RenderVerdict, any Error>
            do {
                verdict = .success(try await renderers.render(input: input, outputs: [], recipe: .standard))
            } catch {
                verdict = .failure(error)
            }
            await renderers.shutdown()
            _ = try verdict.get()
            return Finding(what: "renderer", remedy: nil, detail: "starts and answers")
        } catch {
            return Finding(
                what: "renderer", remedy: "make build, or set DARKROOM_RENDERER", detail: "\(error)")
        }
    }
}
