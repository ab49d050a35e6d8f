import Arguments
import CommandSupport
import FoundationEssentials
import Gazetteer
import Glibc
import Imaging
import Ingestion
import JobStore
import MediaStore
import Postgres
import Posts
import Schema

enum DoctorCommand {
    struct Finding {
        enum Level: String {
            case ok, wrong
            /// No fault, but worth knowing.
            case note
        }

        let level: Level
        let what: String
        let detail: String
        /// How to fix it, if it is wrong.
        var remedy: String?
        /// What `--mend` does about it.
        var cure: (@Sendable () async throws -> Void)?

        static func ok(_ what: String, _ detail: String) -> Finding {
            Finding(level: .ok, what: what, detail: detail)
        }

        static func note(_ what: String, _ detail: String) -> Finding {
            Finding(level: .note, what: what, detail: detail)
        }

        /// What the doctor can mend itself, while others work.
        static func mendable(
            _ what: String, _ detail: String, first: String = "",
            _ cure: @escaping @Sendable () async throws -> Void
        ) -> Finding {
            Finding(
                level: .wrong, what: what, detail: detail,
                remedy: "\(first)darkroom doctor --mend, as the tables' owner", cure: cure)
        }

        static func wrong(_ what: String, _ detail: String, mend remedy: String) -> Finding {
            Finding(level: .wrong, what: what, detail: detail, remedy: remedy)
        }
    }

    static let command = Command(
        "doctor", "Check the setup and the queue, and print a fix for each problem.",
        discussion: """
            Checks the database and its clock, the schema, the workers, the media store, the gazetteer and the renderer. \
            Also checks what slows or stops a queue in PostgreSQL: old snapshots, dead rows, autovacuum, indexes, history \
            partitions, jobs that wait although a worker is free, and pauses. Without the rights of pg_monitor it does not see \
            other users' sessions. Exits with 1 if something is wrong.

            It changes nothing without --mend and --end. --mend makes indexes that are missing or not valid, removes dead rows, \
            and lets autovacuum work on tables that were taken from it, while workers and apps go on. It needs the login of the \
            tables' owner, as 'darkroom migrate' does.
            """,
        options: [
            .value(
                "patience", "TIME", "how long a transaction may stay open, and a job may wait for a worker",
                default: "1m"),
            .flag("mend", "mend what the doctor can mend itself, then look again"),
            .value(
                "end", "PROCESS",
                "end the session with this process number, if its transaction holds a snapshot"),
            Settings.json, Settings.database, Settings.media, Settings.gazetteer,
        ],
        examples: [
            Example("darkroom doctor", "prints one line per check"),
            Example("darkroom doctor --json --patience 5m", "prints JSON for a monitor"),
            Example("darkroom doctor --mend", "makes a missing index, while jobs run"),
        ]
    ) { arguments in
        let patience = try arguments.duration("patience") ?? .seconds(60)
        var findings = try await DatabaseDoctor(arguments, patience: patience).findings()
        findings += await media(arguments)
        findings.append(gazetteer(arguments))
        findings += await renderer()
        for finding in findings {
            if arguments.flag("json") {
                Output.line(finding.json.line)
                continue
            }
            let mark =
                switch finding.level {
                case .ok: "ok     "
                case .note: "note   "
                case .wrong: "WRONG  "
                }
            Output.line("\(mark)\(finding.what): \(Terminal.printable(finding.detail))")
            if let remedy = finding.remedy { Output.line("       fix: \(Terminal.printable(remedy))") }
        }
        if findings.contains(where: { $0.level == .wrong }) { throw ExitCode(1) }
    }

    private static func media(_ arguments: ParsedArguments) async -> [Finding] {
        let location = Settings.mediaLocation(arguments)
        do {
            var configuration = try await Settings.configuration(arguments)
            configuration.connectTimeout = .seconds(5)
            let connection = try await PostgresConnection.connect(configuration)
            let answer: RecordedIdentity
            do {
                answer = try await withDeadline(.seconds(10)) {
                    try await RecordedIdentity.read(from: connection)
                }
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
            // Changes nothing: the identity that it finds is not recorded.
            let store = try MediaLocation.store(at: location) { _ in answer }
            guard let recorded = answer.identity else { return try await unused(store) }
            let tried = try await withDeadline(.seconds(60)) {
                try await store.probeWriting(isNeeded: true)
                return try await examine(store)
            }
            let found = Finding.ok(
                "media store",
                "\(store.location) can be read and written; its identity is \(recorded), as in the database")
            return [found] + tried
        } catch let error as MediaError
            where error.code == .permissionDenied && !location.hasPrefix("s3:")
            && InstalledSettings.isOfOperator
        {
            return [
                .note(
                    "media store",
                    "\(location) is for the services alone. To check it, run as root: runuser -u darkroom -- darkroom doctor"
                )
            ]
        } catch let error as MediaError {
            let isBucket = location.hasPrefix("s3:")
            let remedy =
                switch error.code {
                case _ where isBucket:
                    "do what the message says; the operations guide lists the rights that are needed"
                case .unavailable: "mount the right disk, or do what the message says"
                case .noResponse: "thaw the disk with fsfreeze --unfreeze if somebody froze it, or replace it"
                case .permissionDenied:
                    "let this user write to \(location), where the package is installed with adduser USER darkroom-media, or set "
                        + "DARKROOM_MEDIA"
                default: "make \(location) writable, or set DARKROOM_MEDIA"
                }
            return [.wrong("media store", "\(error)", mend: remedy)]
        } catch {
            return [.note("media store", "\(location) was not checked, because the database cannot be asked")]
        }
    }

    /// What is at the place of a store if the database has none yet. What the first photo will need is tried.
    private static func unused(_ store: any MediaStore) async throws -> [Finding] {
        if let found = try await store.identity() {
            return [
                .note(
                    "media store",
                    "\(store.location) has the identity \(found), which the database does not know: if another database "
                        + "has made this store, nothing is stored there before 'darkroom store adopt'")
            ]
        }
        let found = Finding.ok(
            "media store",
            "\(store.location) is not in use yet: if a disk belongs there, mount it before the first photo is stored"
        )
        return [found] + (try await withDeadline(.seconds(60)) { try await examine(store) })
    }

    private static func examine(_ store: any MediaStore) async throws -> [Finding] {
        try await store.examine().map { finding in
            let what = "media store: \(finding.what)"
            return finding.remedy.map { .wrong(what, finding.detail, mend: $0) } ?? .ok(what, finding.detail)
        }
    }

    private static func gazetteer(_ arguments: ParsedArguments) -> Finding {
        do {
            let info = try Settings.openGazetteer(arguments).info
            return .ok("gazetteer", "\(info.placeCount) places in \(info.countryCount) countries")
        } catch {
            return .wrong(
                "gazetteer", "\(error)", mend: "darkroom gazetteer build, or set DARKROOM_GAZETTEER")
        }
    }

    /// Checks that a renderer starts, loads its libraries and judges one empty file, and which sandbox confines it.
    private static func renderer() async -> [Finding] {
        do {
            let renderers = try Settings.renderers(size: 1)
            let found: Result<Sandbox, any Error>
            do { found = .success(try await renderers.prove()) } catch { found = .failure(error) }
            await renderers.shutdown()
            let sandbox = try found.get()
            let layers = sandbox.active.map(\.rawValue).joined(separator: ", ")
            let gaps = sandbox.gaps.map(\.description).joined(separator: ", ")
            return [
                .ok("renderer", "starts and responds"),
                sandbox.isComplete
                    ? .ok("sandbox", gaps.isEmpty ? layers : "\(layers); without the extra \(gaps)")
                    : .wrong(
                        "sandbox",
                        "only \(layers); not \(gaps)",
                        mend:
                            "use a kernel (Linux 5.13 or newer) and a container runtime that allow Landlock and seccomp"
                    ),
            ]
        } catch {
            return [.wrong("renderer", "\(error)", mend: "make build, or set DARKROOM_RENDERER")]
        }
    }
}

extension DoctorCommand.Finding {
    fileprivate var json: JSON {
        .object([
            ("check", .string(what)), ("ok", .bool(level != .wrong)), ("level", .string(level.rawValue)),
            ("detail", .string(detail)), ("remedy", JSON.optional(remedy) { .string($0) }),
        ])
    }
}
