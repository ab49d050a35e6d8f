import Postgres
import Schema
import Testing

@Suite("The range of schemas that a worker serves", .timeLimit(.minutes(15)))
struct SchemaReleaseTests {
    private func version(_ number: Int) -> ReleaseVersion { ReleaseVersion("0.\(number).0")! }

    @Test("follows from what the database and the worker know, in every order of their releases")
    func orders() {
        for database in 1...4 {
            for oldestServed in 1...database {
                for worker in 1...4 {
                    for oldestSchema in 1...worker {
                        let fault = WorkerRelease(
                            release: version(worker), oldestSchema: version(oldestSchema)
                        ).fault(
                            with: SchemaRelease(
                                release: version(database), oldestServed: version(oldestServed)))
                        // The newer one knows the other.
                        let serves = database > worker ? worker >= oldestServed : database >= oldestSchema
                        #expect(
                            (fault == nil) == serves,
                            "database \(database) serves \(oldestServed), worker \(worker) needs \(oldestSchema)"
                        )
                        #expect(
                            fault?.hasSuffix(
                                database > worker ? "update this worker" : "run 'darkroom migrate'") ?? true)
                    }
                }
            }
        }
    }

    @Test("compares numbers, and closes on what it cannot read")
    func texts() {
        let worker = WorkerRelease(
            release: ReleaseVersion("0.10.0")!, oldestSchema: ReleaseVersion("0.9.0")!)
        #expect(worker.fault(release: "0.9.0", oldestServed: "0.2.0") == nil)
        #expect(worker.fault(release: "0.11.0", oldestServed: "0.9.0") == nil)
        #expect(
            worker.fault(release: "0.8.0", oldestServed: "0.2.0")?.contains("needs that of 0.9.0") == true)
        #expect(
            worker.fault(release: "0.9.0", oldestServed: "soon")?.contains("not two versions of Darkroom")
                == true)
    }

    @Test("is recorded by a migration, never widens again, and closes before a migration in steps goes on")
    func recorded() async throws {
        try await SchemaDatabase.with { database in
            func migrate(_ release: String, serving oldest: String, _ more: [SchemaFile] = []) async throws
                -> [SchemaStatus]
            {
                let release = SchemaRelease(
                    release: ReleaseVersion(release)!, oldestServed: ReleaseVersion(oldest)!)
                return try await database.pool.withConnection {
                    try await Migrator($0, files: SchemaFile.all + more, release: release).migrate()
                }
            }
            func record() async throws -> String? {
                try await database.text(
                    "select release || ' serves ' || oldest_served as x from darkroom.schema_release")
            }
            _ = try await migrate("0.1.0", serving: "0.1.0")
            #expect(try await record() == "0.1.0 serves 0.1.0")
            #expect(try await migrate("0.2.0", serving: "0.2.0").isEmpty, "no file has changed")
            #expect(try await record() == "0.2.0 serves 0.2.0")
            _ = try await migrate("0.3.0", serving: "0.1.0")
            #expect(try await record() == "0.3.0 serves 0.2.0")
            #expect(try await migrate("0.1.0", serving: "0.1.0").isEmpty)
            #expect(try await record() == "0.3.0 serves 0.2.0", "an older release changes nothing")

            let steps = [
                SchemaFile(path: "tables/0002_first.sql", text: "create table darkroom.first ();"),
                SchemaFile(
                    path: "tables/0003_second.sql", text: "-- Runs outside a transaction\nselect 1 / 0;\n"),
            ]
            await #expect(throws: PostgresError.self) {
                try await migrate("0.4.0", serving: "0.4.0", steps)
            }
            #expect(try await database.text("select to_regclass('darkroom.first')::text as x") != nil)
            #expect(try await record() == "0.3.0 serves 0.4.0")
        }
    }
}
