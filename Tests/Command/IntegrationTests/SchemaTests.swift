import ChildProcess
import DarkroomClient
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Another schema", .timeLimit(.minutes(15)))
struct SchemaTests {
    @Test("contains a separate installation in the same database, with its own jobs and calls")
    func besideAnother() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            func inPhotos(_ arguments: String...) async throws -> ChildProgram.Output {
                var command = darkroom.command(arguments)
                command.environment["DARKROOM_SCHEMA"] = "photos"
                return try await command.runSuccessfully()
            }
            _ = try await inPhotos("migrate")
            let client = try DarkroomClient(
                database: darkroom.database.url, media: darkroom.media, schema: "photos")
            let jpeg = PhotoFixture.jpeg()
            var details = UploadDetails(uploader: "ada")
            details.coordinates = (47.6, -122.33)
            let stored = try await client.store(bytes: jpeg)
            let jobs = try await client.enqueue([(stored, details), (stored, UploadDetails(uploader: "bob"))])
            #expect(jobs.count == 2)
            #expect(try await darkroom.database.jobs().isEmpty, "the other installation has no jobs")
            try await darkroom.drain()
            #expect(try await client.status(of: jobs[0])?.state == .waiting, "nor does it touch this one")

            _ = try await inPhotos("work", "--drain", "--concurrency", "1")
            #expect(try await client.status(of: jobs[0])?.state == .succeeded)
            #expect(try await client.status(of: jobs[1])?.reason == "no_location")
            _ = try await inPhotos("doctor")
            await client.close()
        }
    }

    @Test("must have a plain name")
    func refused() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            var command = darkroom.command(["migrate"])
            command.environment["DARKROOM_SCHEMA"] = "drop table"
            let output = try await command.run()
            #expect(output.ending == .exited(1))
            #expect(output.standardError.contains("lower-case"))
        }
    }
}
