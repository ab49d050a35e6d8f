import Glibc
import Rendering

@main
enum RendererProgram {
    static func main() {
        guard CommandLine.arguments.count == 2, let parent = Int32(CommandLine.arguments[1]) else {
            let text = Array("darkroom-renderer is started by darkroom. Do not run it by hand.\n".utf8)
            _ = write(2, text, text.count)
            exit(2)
        }
        exit(RendererService.run(parent: parent))
    }
}
