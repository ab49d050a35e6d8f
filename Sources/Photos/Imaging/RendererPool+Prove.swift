import CLinux
import FoundationEssentials
import Glibc

extension RendererPool {
    /// A PNG of 64 x 64 pixels, whose colours change evenly.
    private static let soundPicture = Data(
        base64Encoded: """
            iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAA8klEQVR42tXPEXdCYQAA0O+d8yAIgiAIBkEQBMEgCAbBYBAEQRAE\
            QRAEwYNBEASDwSAYDAZBEARBEARBEARBEASDwWDQ77jn3D9woxCSOARXFGI9kNIDaT2Q0QNZPZDTA3k98KAHCnqgqAdKeqCsByp6\
            4FEPVPVATQ886YG6HnjWAy96oKEHmnqgpQfaeqCjB7p6oKcH+npgoAeGemCkBxI98KoHxnpgogemeuBND7zrgQ89MNMDn3rgSw98\
            64G5HljogaUeWOmBtR7Y6IGtHtjpgb0eOOiBox446YGzHrjogaseuOmBHz3wqwf+9MC/HbgDsdh+wdM3ARsAAAAASUVORK5CYII=
            """)

    /// Checks that a renderer works, by having it render a sound picture with the standard recipe.
    ///
    /// - Returns: its sandbox.
    /// - Throws: `RendererError` if no renderer starts, or if it does not render the picture.
    @discardableResult
    package func prove() async throws -> Sandbox {
        var files: [CInt] = []
        defer { for file in files { close(file) } }
        let recipe = Recipe.standard
        for name in ["sound"] + recipe.renditions.map(\.name) {
            let file = linux_open_memory_file(name)
            guard file >= 0 else {
                throw RendererError(.cannotStart, "memfd_create: \(String(cString: strerror(errno))).")
            }
            files.append(file)
        }
        let picture = [UInt8](Self.soundPicture ?? Data())
        guard pwrite(files[0], picture, picture.count, 0) == picture.count else {
            throw RendererError(.cannotStart, "No memory for a picture: \(String(cString: strerror(errno))).")
        }
        let verdict = try await render(
            input: files[0], into: files.dropFirst().map(ScratchOutput.init), recipe: recipe, isFirst: true)
        if case .rejected(let rejection, _) = verdict {
            throw RendererError(.faulted, "The renderer rejects a sound picture: \(rejection.message)")
        }
        return statistics.sandbox ?? Sandbox()
    }
}
