import Arguments
import CLinux
import CommandSupport
import FoundationEssentials
import Glibc
import Imaging

/// `darkroom inspect`: what would happen to a file, without a database.
enum InspectCommand {
    static let command = Command(
        "inspect", "Say what would happen to photos; needs no database.",
        discussion: """
            Each photo is parsed in the sandboxed renderer, as a worker would. With --render the renditions are \
            written into a directory. Exits with 1 where a photo would be rejected.
            """,
        options: [
            .value("render", "DIR", "write the renditions into this directory"), Settings.rendering,
            Settings.json,
        ],
        positionals: [.restRequired("PHOTO", "image files")],
        examples: [
            Example("darkroom inspect ferry.jpg", "verdict, format, size, orientation, place and time"),
            Example("darkroom inspect --json *.jpg", "one JSON object a photo"),
            Example("darkroom inspect --render out ferry.jpg", "also writes the pictures"),
        ]
    ) { arguments in
        let directory = arguments.string("render")
        if let directory {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        let rendering = try Settings.renderConfiguration(arguments)
        let renderers = try Settings.renderers(size: 1, limits: rendering.limits)
        var rejected = 0
        do {
            for photo in arguments.strings("PHOTO") {
                let inspection = try await Inspection.make(
                    of: photo, with: renderers, recipe: rendering.recipe, directory: directory)
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
