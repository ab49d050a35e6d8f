import CBreakout
import FoundationEssentials
import Glibc
import Imaging
import Rendering

/// A renderer that has been taken over. It is started and confined like a real one, but with only some of the layers, and
/// then does what the name of the recipe says.
///
/// `Breakout LAYERS PARENT`, where LAYERS is `all`, `none`, or names with commas between them. `serve` is a renderer that has
/// no layer and does its work. The recipe's name is an
/// attempt and its target. The reply is a rejection with the text `escaped`, or with the name of the error with which the
/// kernel refused the attempt.
@main
enum Program {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let parent = Int32(arguments[2]) else { exit(64) }
        if arguments[1] == "serve" { exit(RendererService.run(parent: parent, confinement: Confinement([]))) }
        let names = arguments[1].split(separator: ",").map(String.init)
        let layers =
            switch names {
            case ["all"]: Set(Sandbox.Layer.allCases)
            case ["none"]: Set<Sandbox.Layer>()
            default: Set(names.map { Sandbox.Layer(rawValue: $0)! })
            }
        exit(RendererService.run(parent: parent, confinement: Confinement(layers), work: rebel))
    }

    /// Does what its photos say, which is nothing good.
    private static func rebel(_ session: RendererSession) throws {
        try session.greet()
        var photos = 0
        while true {
            let (request, descriptors) = try session.receive()
            photos += 1
            try session.apply(request.limits, isLast: photos == session.photos)
            let words = request.recipe.name.split(separator: " ").map {
                switch $0 {
                case "PHOTO": String(descriptors[0])
                case "RENDITION": String(descriptors[1])
                default: String($0)
                }
            }
            switch words[0] {
            case "count": try session.send(reply(to: request, "\(photos)"))
            case "linger":
                // To all appearances it is done.
                try session.send(reply(to: request, "done"))
                while true {}
            case "lie": try session.send(RenderReply.failure(id: request.id, code: .cannotStart, message: ""))
            case "say":
                // A reply to request 0, as no encoder of ours would write it.
                let said = words.dropFirst().joined(separator: " ")
                let bytes = Array(said.replacing("\"id\":0", with: "\"id\":\(request.id)").utf8)
                _ = write(RendererService.socket, bytes, bytes.count)
            case "garbage": try session.send(["not": "a reply"])
            case "much":
                let bytes = [UInt8](repeating: 0, count: 150_000)
                _ = write(RendererService.socket, bytes, bytes.count)
            case "invent": try session.send(invention(request))
            case "die":
                let bytes = Array(words.dropFirst().joined(separator: " ").utf8)
                _ = write(2, bytes, bytes.count)
                _exit(7)
            default:
                let target =
                    words[0] == "execute"
                    ? String(decoding: try JSONEncoder().encode(reply(to: request, "escaped")), as: UTF8.self)
                    : words.dropFirst().joined(separator: " ")
                let code = breakout_try(words[0], target)
                guard code >= 0 else { _exit(64) }
                let text = code == 0 ? "escaped" : String(cString: breakout_error_name(code))
                try session.send(reply(to: request, text))
            }
            for descriptor in descriptors { close(descriptor) }
        }
    }

    /// A verdict, so that nothing seems wrong with this renderer.
    private static func reply(to request: RenderRequest, _ text: String) -> RenderReply {
        .verdict(id: request.id, .rejected(PhotoRejection(.corrupt, text), nil), cpu: StageTimes())
    }

    /// Renditions that were never written.
    private static func invention(_ request: RenderRequest) -> RenderReply {
        let images = request.recipe.renditions.map {
            RenderedImage(name: $0.name, width: 16, height: 16, bytes: 100)
        }
        let report = PhotoReport(format: .jpeg, width: 16, height: 16)
        return .verdict(id: request.id, .accepted(report, images), cpu: StageTimes())
    }
}
