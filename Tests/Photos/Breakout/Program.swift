import CBreakout
import Glibc
import Imaging
import Rendering

/// Sandboxes itself like a renderer, fully or with one layer, and then tries one way out.
///
/// `Breakout LAYERS ATTEMPT TARGET`, where LAYERS is `all`, `none` or a layer's name. Prints `escaped`, or the name of
/// the error with which the kernel refused the attempt.
@main
enum Program {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { exit(64) }
        var limits = RenderLimits()
        limits.cpuSeconds = 0
        var sandbox = Sandbox()
        switch arguments[1] {
        case "none": break
        case "all":
            try Confinement.begin(&sandbox)
            try PhotoRenderer.start()
            Confinement.finish(&sandbox, socket: RendererService.socket)
            try Confinement.apply(limits)
        case Sandbox.Layer.noNewPrivileges.rawValue: try Confinement.forbidPrivileges(&sandbox)
        case Sandbox.Layer.landlock.rawValue:
            try Confinement.forbidPrivileges(&sandbox)
            Confinement.holdFiles(&sandbox)
        case Sandbox.Layer.seccomp.rawValue:
            try Confinement.forbidPrivileges(&sandbox)
            Confinement.finish(&sandbox, socket: RendererService.socket)
        case Sandbox.Layer.limits.rawValue:
            try Confinement.forbidPrivileges(&sandbox)
            try Confinement.holdResources(&sandbox)
            try Confinement.apply(limits)
        default: exit(64)
        }
        guard sandbox.gaps.isEmpty else {
            print("missing: \(sandbox.gaps[0])")
            exit(3)
        }
        if arguments[2] == "render" { return try render(arguments[3]) }
        let code = breakout_try(arguments[2], arguments[3])
        guard code >= 0 else { exit(64) }
        let text = code == 0 ? "escaped\n" : "\(String(cString: breakout_error_name(code)))\n"
        _ = write(1, text, text.utf8.count)
    }

    /// Renders the photo at `path` into files with that name and a number.
    private static func render(_ path: String) throws {
        try PhotoRenderer.start()
        let recipe = Recipe.standard
        let input = open(path, O_RDONLY)
        let outputs = recipe.renditions.indices.map { creat("\(path).\($0)", 0o600) }
        _ = try PhotoRenderer.render(
            input: input, outputs: outputs, recipe: recipe, limits: RenderLimits())
    }
}
