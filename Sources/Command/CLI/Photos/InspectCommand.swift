import Arguments
import CLinux
import CommandSupport
import FoundationEssentials
import Glibc
import Imaging

enum InspectCommand {
    static let command = Command(
        "inspect", "Show what a worker would do with photos; needs no database.",
        discussion: """
            Parses each photo in the sandboxed renderer, as a worker does, and prints the result. --render also writes \
            the renditions into a directory, under the photo's name; a second photo of a name gets a number behind it. \
            Exits with 1 if a photo would be rejected.
            """,
        options: [
            .value("render", "DIR", "write the renditions into this directory"), Settings.rendering,
            Settings.json,
        ],
        positionals: [.restRequired("PHOTO", "image files")],
        examples: [
            Example(
                "darkroom inspect ferry.jpg", "prints verdict, format, size, orientation, location and time"),
            Example("darkroom inspect --json *.jpg", "prints one JSON object per photo"),
            Example("darkroom inspect --render out ferry.jpg", "also writes the renditions into out/"),
        ]
    ) { arguments in
        let directory = arguments.string("render")
        if let directory {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        let rendering = try Settings.renderConfiguration(arguments)
        let renderers = try Settings.renderers(size: 1, limits: rendering.limits)
        var rejected = 0
        var stems: Set<String> = []
        do {
            for photo in arguments.strings("PHOTO") {
                let stem = InspectionOutputs.stem(of: photo, taken: &stems)
                let inspection = try await Inspection.make(
                    of: photo, with: renderers, recipe: rendering.recipe,
                    target: directory.map { ($0, stem) })
                Output.line(arguments.flag("json") ? inspection.json.line : inspection.text)
                if !inspection.isAccepted { rejected += 1 }
            }
        } catch {
            await renderers.shutdown()
            throw error
        }
        await renderers.shutdown()
        if rejected > 0 { throw ExitCode(1) }
    }
}
