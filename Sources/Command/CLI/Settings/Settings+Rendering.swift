import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import Imaging

extension Settings {
    static let requireSandbox = Option.flag(
        "require-sandbox",
        "refuse to start if the kernel cannot sandbox the renderer completely; see 'darkroom doctor'")

    static let isolation = Option.value(
        "isolation", "MODE",
        "photo: a process of its own for each photo; pool: one for up to 500 photos, which is quicker",
        default: RendererPool.Isolation.photo.rawValue)

    static let rendering = Option.value(
        "rendering", "FILE", "JSON file with the recipe and limits (default: those of this release)",
        environment: "DARKROOM_RENDERING")

    static func renderConfiguration(_ arguments: ParsedArguments) throws -> RenderConfiguration {
        guard let path = arguments.string("rendering"), !path.isEmpty else { return RenderConfiguration() }
        guard let json = FileManager.default.contents(atPath: path) else {
            throw UsageError("--rendering: \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        do { return try RenderConfiguration(json: json) } catch {
            throw UsageError("--rendering: \(path): \(error)")
        }
    }

    /// - Parameter mayBeMissing: whether the program may be installed later.
    static func renderers(
        size: Int, limits: RenderLimits = RenderLimits(), isolation: RendererPool.Isolation = .photo,
        requiresSandbox: Bool = false, mayBeMissing: Bool = false
    ) throws -> RendererPool {
        RendererPool(
            executable: mayBeMissing ? RendererPool.expectedExecutable : try rendererExecutable(), size: size,
            limits: limits, retirement: RendererPool.Retirement(isolation), requiresSandbox: requiresSandbox)
    }
}
