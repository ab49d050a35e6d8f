import Arguments
import Benchmarking
import CommandSupport

enum BenchReplicas {
    static let command = Command(
        "replicas", "Measure feeds with a hot standby, compared with none.",
        discussion: """
            Starts a PostgreSQL server and a streaming standby of its own in --scratch, with generated posts, and removes \
            them at the end. Asks for feeds and a map through the Swift library, without and with the standby, alternately, \
            while votes are cast and counted. Both servers and the client share this machine, so the rate cannot grow: it \
            shows what replaying costs. The feeds per second of processor time, of both servers together, and the writing \
            server's processor time per feed show what a standby on a machine of its own would take off it.
            """,
        options: [
            BenchCommand.scale,
            .value("posts", "N", "number of posts (default: 100000 times --scale, but at least 10000)"),
            .value("runs", "N", "runs per figure", default: "5"),
            .value("scratch", "DIR", "folder for the servers; they need 6 kB a post", default: "/var/tmp"),
            Settings.json, Settings.gazetteer,
        ],
        examples: [Example("darkroom-dev bench replicas", "takes about two minutes")]
    ) { arguments in
        var options = ReplicaBenchmark.Options(scale: try BenchCommand.scale(arguments))
        options.posts = try arguments.int("posts", in: 10_000...10_000_000) ?? options.posts
        options.runs = try arguments.int("runs", in: 1...99) ?? options.runs
        options.scratch = Settings.absolute(arguments.string("scratch") ?? options.scratch)
        let benchmark = ReplicaBenchmark(
            gazetteer: Settings.absolute(Settings.gazetteerPath(arguments)), options: options,
            progress: { Output.note($0) }, report: BenchCommand.report(arguments))
        try await interruptible { try await benchmark.run() }
    }
}
