import ChildProcess
import FoundationEssentials
import Glibc
import Postgres

/// An installation for a storm: its servers, media store and gazetteer, and the programs.
struct StormSite: Sendable {
    let root: String
    let servers: StormServers
    /// The folder of `darkroom` and `darkroom-renderer`.
    let programs: String
    let store: StormStore
    /// The folder for the ledger and the workers' logs.
    let logs: String

    var media: String { store.media }
    var ledger: String { "\(logs)/ledger" }

    func command(_ arguments: [String]) -> ChildProgram {
        var environment = ChildProgram.plainEnvironment.merging(store.environment) { $1 }
        environment["DATABASE_URL"] = servers.workerURL
        environment["DARKROOM_MEDIA"] = media
        environment["DARKROOM_GAZETTEER"] = "\(root)/gazetteer.drg"
        environment["DARKROOM_RENDERER"] = "\(programs)/darkroom-renderer"
        environment["HOME"] = root
        return ChildProgram(
            "\(programs)/darkroom", arguments, environment: environment, workingDirectory: root)
    }

    /// Migrates the database and builds a gazetteer of two places.
    func setUp() async throws {
        try await command(["migrate"]).runSuccessfully()
        let places = [
            "5809844\tSeattle\tSeattle\t\t47.60621\t-122.33207\tP\tPPL\tUS\t\tWA\t\t\t\t737015\t\t\t\t",
            "3369157\tCape Town\tCape Town\t\t-33.92584\t18.42322\tP\tPPL\tZA\t\t11\t\t\t\t4710000\t\t\t\t",
        ]
        let divisions = ["US.WA\tWashington\tWashington\t1", "ZA.11\tWestern Cape\tWestern Cape\t4"]
        let countries = [
            "US\tUSA\t0\t\tUnited States\tWashington\t1\t1\tXX\t.x\tXXX\tX\t1\t\t\t\t1\t\t",
            "ZA\tZAF\t0\t\tSouth Africa\tPretoria\t1\t1\tXX\t.x\tXXX\tX\t1\t\t\t\t1\t\t",
        ]
        for (name, lines) in [
            ("cities500", places), ("admin1CodesASCII", divisions), ("countryInfo", countries),
        ] {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(
                to: URL(filePath: "\(root)/\(name).txt"))
        }
        try await command(["gazetteer", "build", "--from", root]).runSuccessfully()
        // Slots of a limited key can leak, so one uploader has a limit.
        try await servers.administer(
            "insert into darkroom.fair_keys (fair_key, max_running) values ('person-0', 2) on conflict do nothing"
        )
    }
}
