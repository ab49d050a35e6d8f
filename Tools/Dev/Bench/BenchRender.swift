import Arguments
import Benchmarking
import CommandSupport
import Imaging
import Threads

enum BenchRender {
    static let command = Command(
        "render", "Measure the renderer, compared with a plain libvips program and vipsthumbnail.",
        discussion: """
            Renders every JPEG of a folder through the coordinator and its sandboxed renderers, as a worker does. \
            Every figure is the median of several runs, and is compared with references that were measured alternately \
            with it. The references come from Benchmarks/render/reference of a checkout and need a C compiler and \
            Debian's libvips-dev and libvips-tools. Use at least 60 photos of 12 megapixels or more. --soak sends N \
            photos through one renderer instead, and says whether its memory grows. --renderer can be a script that \
            sets variables such as LD_PRELOAD and then runs: exec darkroom-renderer "$@".
            """,
        options: [
            .flag("quality", "measure how close pictures are to a full decode, instead of speed"),
            .flag("full", "decode photos whole, as a recipe with \"fidelity\": \"full\" does"),
            .value("runs", "N", "runs", default: "5"),
            .value("processes", "N", "renderers (default: one per core)"),
            .value("soak", "N", "send N photos, at least 100, through one renderer that is not replaced"),
            .value("renderer", "PATH", "the renderer (default: next to this program, or DARKROOM_RENDERER)"),
            .value("references", "FILE", "script of the references (default: found above the program)"),
            BenchCommand.without(RenderBenchmark.references), Settings.json,
        ],
        positionals: [.required("DIR", "folder with JPEGs")],
        examples: [
            Example("darkroom-dev bench render ~/photos", "takes a few minutes"),
            Example("darkroom-dev bench render --soak 20000 ~/small-photos", "shows whether memory leaks"),
            Example("darkroom-dev bench render ~/photos --quality", "measures quality; 20 photos are enough"),
        ]
    ) { arguments in
        let photos = Settings.absolute(arguments.string("DIR")!)
        let renderer =
            try arguments.string("renderer").map(Settings.absolute) ?? Settings.rendererExecutable()
        if let count = try arguments.int("soak", in: 100...100_000_000) {
            let soak = RendererSoak(
                photos: photos, renderer: renderer, count: count, progress: { Output.note($0) },
                report: BenchCommand.report(arguments))
            return try await soak.run()
        }
        var options = RenderBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.processes = try arguments.int("processes", in: 1...64) ?? UsableCores.count
        if arguments.flag("full") { options.fidelity = .full }
        let benchmark = RenderBenchmark(
            photos: photos, renderer: renderer, options: options,
            tools: BenchmarkTools(
                topic: "render", references: arguments.string("references"),
                without: try BenchCommand.leftOut(arguments, of: RenderBenchmark.references)),
            progress: { Output.note($0) }, report: BenchCommand.report(arguments))
        try await arguments.flag("quality") ? benchmark.runQuality() : benchmark.run()
    }
}
