import Imaging
import JobQueue
import MediaStore
import Posts

/// Makes the pictures of a post from its original.
struct RenditionMaker: Sendable {
    let media: LocalMediaStore
    let renderers: RendererPool
    let recipe: Recipe

    /// A rendition on its way into the store: what the renderer says of it, and its unnamed file.
    struct Picture: Sendable {
        let spec: RenditionSpec
        let image: RenderedImage
        let file: MediaFile
    }

    /// Has the photo inspected and rendered in another process.
    ///
    /// - Throws: ``AttemptError``: rejected with the renderer's reason, or that the renderer died.
    func render(_ original: MediaFile, trace: AttemptTrace) async throws -> (PhotoReport, [Picture]) {
        let files = try recipe.renditions.map { _ in try media.makeUnnamedRendition() }
        let verdict: RenderVerdict
        do {
            verdict = try await renderers.render(
                input: original.descriptor, outputs: files.map(\.descriptor), recipe: recipe)
        } catch let error as RendererError where error.suspectsPhoto {
            trace.note(verdict: "died: \(error)")
            throw AttemptError(
                .rendererDied(Reason(code: "renderer_died", message: "\(error)")), underlying: error)
        }
        // The descriptors must outlive the renderer's work on them.
        return try withExtendedLifetime((original, files)) {
            switch verdict {
            case .accepted(let report, let images):
                trace.note(verdict: "accepted: \(report.format) \(report.width)x\(report.height)")
                let pictures = zip(recipe.renditions, zip(images, files)).map {
                    Picture(spec: $0, image: $1.0, file: $1.1)
                }
                return (report, pictures)
            case .rejected(let rejection, _):
                trace.note(verdict: "rejected: \(rejection.code.rawValue)")
                throw AttemptError.rejected(rejection.code.rawValue, rejection.message)
            }
        }
    }

    /// Names the pictures by their bytes, all at once, because each waits for the disk several times.
    ///
    /// A rendition that no post comes to name is harmless: the same photo, tried again, makes the same file.
    func store(_ pictures: [Picture]) async throws -> [PostRendition] {
        try await withThrowingTaskGroup(of: (Int, PostRendition).self) { group in
            for (index, picture) in pictures.enumerated() {
                group.addTask { (index, try await store(picture)) }
            }
            var stored = [PostRendition?](repeating: nil, count: pictures.count)
            for try await (index, rendition) in group { stored[index] = rendition }
            return stored.compactMap(\.self)
        }
    }

    /// Looks at the picture once more in a way that nobody can invalidate: the renderer was lent the file and might
    /// write to it still, so it is sealed first.
    private func store(_ picture: Picture) async throws -> PostRendition {
        do {
            let sealed = try await media.sealRendition(picture.file)
            try await Self.check(sealed, is: picture)
            let format = picture.spec.encoding.format
            let file = try await media.publishRendition(sealed, fileExtension: format.fileExtension)
            return PostRendition(
                name: picture.image.name, mediaKey: file.key.path, sha256: file.sha256.hex,
                width: picture.image.width, height: picture.image.height, byteCount: file.byteCount,
                format: format.rawValue)
        } catch let error as MediaError {
            throw Self.attemptError(for: error)
        }
    }

    /// No rendition is published that carries more than pixels, or others than were reported.
    private static func check(_ file: MediaFile, is picture: Picture) async throws {
        let (image, format) = (picture.image, picture.spec.encoding.format)
        let bytes = try await file.readAll(limit: 64 << 20)
        let fault: String
        do {
            let structure = try bytes.withUnsafeBytes { try RenditionStructure(checking: $0, as: format) }
            if structure.width == image.width, structure.height == image.height { return }
            fault = "it is \(structure.width)x\(structure.height), not \(image.width)x\(image.height)"
        } catch {
            fault = "\(error)"
        }
        throw AttemptError(
            .rendererDied(
                Reason(
                    code: "unsafe_rendition",
                    message:
                        "The rendition \(image.name) is not the plain picture that was reported: \(fault)"))
        )
    }
}
