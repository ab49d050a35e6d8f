import ChildProcess
import Foundation
import TestKit
import Testing

@testable import CommandSupport

@Suite("The environment file of an installation", .timeLimit(.minutes(15)))
struct InstalledSettingsTests {
    @Test("is read as systemd reads it")
    func format() {
        let variables = InstalledSettings.variables(
            """
            # a comment=1
            ; another=1
            DATABASE_URL=postgresql:///a?x=y
              DARKROOM_MEDIA = no
            DARKROOM_GAZETTEER="/a b/c"\u{20}
            PGPASSWORD='it"s'
            AWS_SECRET_ACCESS_KEY="

            1X=1
            EMPTY=
            """)
        #expect(
            variables == [
                "DATABASE_URL": "postgresql:///a?x=y", "DARKROOM_GAZETTEER": "/a b/c", "PGPASSWORD": "it\"s",
                "AWS_SECRET_ACCESS_KEY": "\"", "EMPTY": "",
            ])
    }

    @Test("gives what is not set, and its password only with its database")
    func precedence() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let file = try darkroom.write(
                Array(
                    """
                    DATABASE_URL=\(darkroom.database.url)
                    PGAPPNAME=ours
                    DARKROOM_MEDIA=\(darkroom.root)/store
                    HOME=/nowhere
                    """.utf8), to: "darkroom.env")
            func run(_ arguments: [String], _ variables: [String: String] = [:]) async throws
                -> ChildProgram.Output
            {
                let environment = ChildProgram.plainEnvironment.merging(
                    ["HOME": darkroom.root, "DARKROOM_CONFIG": file].merging(variables) { $1 }
                ) { $1 }
                return try await ChildProgram(
                    Checkout.programs + "/darkroom", arguments, environment: environment,
                    workingDirectory: darkroom.root
                ).run()
            }
            let photo = try darkroom.write(PhotoFixture.jpeg(width: 64, height: 64), to: "photo.jpg")
            for variables in [[:], ["DATABASE_URL": "", "DARKROOM_MEDIA": ""]] {
                let output = try await run(["enqueue", photo], variables)
                #expect(output.ending == .exited(0) && output.standardError.isEmpty, "\(output)")
            }
            #expect(FileManager.default.fileExists(atPath: darkroom.root + "/store/originals"))
            #expect(!FileManager.default.fileExists(atPath: darkroom.root + "/.darkroom"))
            let away = "postgresql://127.0.0.1:1/away"
            for output in [
                try await run(["jobs", "list"], ["DATABASE_URL": away]),
                try await run(["jobs", "list", "--database", away], ["PGPASSWORD": ""]),
                try await run(["jobs", "list", "--database=\(away)"]),
            ] {
                #expect(
                    output.ending != .exited(0) && output.standardError.contains("127.0.0.1"), "\(output)")
            }
            // The store of one database is not filled from another.
            for output in [
                try await run(["enqueue", photo, "--database", away]),
                try await run(["enqueue", photo], ["DATABASE_URL": away]),
            ] {
                #expect(output.ending == .exited(64) && output.standardError.contains("--media"), "\(output)")
            }
            let missing = try await run(["jobs", "list"], ["DARKROOM_CONFIG": darkroom.root + "/none.env"])
            #expect(missing.ending == .exited(1))
            #expect(
                missing.standardError.contains("none.env") && missing.standardError.contains("No such file"))
        }
    }

    @Test("is needed to say where photos are, if a database is given")
    func enqueue() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            var elsewhere = darkroom
            elsewhere.variables = ["DARKROOM_MEDIA": ""]
            let photo = try darkroom.write(PhotoFixture.jpeg(width: 64, height: 64), to: "photo.jpg")
            let refused = try await elsewhere.command(["enqueue", photo]).run()
            #expect(
                refused.ending == .exited(64) && refused.standardError.contains("DARKROOM_MEDIA"),
                "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: darkroom.root + "/.darkroom"))
            try await elsewhere.command(["enqueue", "--media", darkroom.media, photo]).runSuccessfully()
            try await elsewhere.command([
                "enqueue", "--text", "--headline", "Hello", "--lat", "1", "--lon", "1",
            ]).runSuccessfully()
        }
    }
}
