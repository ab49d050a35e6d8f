import Imaging
import JobQueue
import MediaStore
import Posts
import Synchronization

/// What a renderer has found in a photo, and the pictures that it has made of it.
struct RenderedPhoto: Sendable {
    let report: PhotoReport
    let pictures: [PictureStore.Picture]
}

/// Makes the pictures of a post from its original.
struct RenditionMaker: Sendable {
    let media: any MediaStore
    let renderers: RendererPool
    let recipe: Recipe

    /// Inspects and renders the photo in another process.
    ///
    /// - Throws: ``AttemptError``: the renderer rejected the photo (with its reason), died or could not start, or the store
    ///   failed.
    func render(_ original: MediaFile, of upload: Upload, trace: AttemptTrace) async throws -> RenderedPhoto {
        var recipe = recipe
        // The photo's credit would tell who is anonymous.
        if upload.isAnonymous { recipe.keepsCredit = false }
        var outputs: [SealedOutput] = []
        let verdict: RenderVerdict
        do {
            for _ in recipe.renditions {
                outputs.append(SealedOutput(file: try await media.makeUnnamedRendition(), media: media))
            }
            verdict = try await renderers.render(
                input: original.descriptor, into: outputs, recipe: recipe)
        } catch let error as RendererError {
            trace.note(verdict: "\(error.suspectsPhoto ? "died" : "faulted"): \(error)")
            let failure: AttemptFailure =
                if error.suspectsMachine {
                    .machineShort(error.reason)
                } else if error.suspectsPhoto {
                    .rendererDied(error.reason)
                } else {
                    .systemFault(error.reason)
                }
            throw AttemptError(failure, underlying: error)
        } catch let error as MediaError {
            throw AttemptError.storeFault(error)
        }
        // The descriptor must stay open until the renderer has finished.
        return try withExtendedLifetime(original) {
            switch verdict {
            case .accepted(let report, let images):
                trace.note(verdict: "accepted: \(report.format) \(report.width)x\(report.height)")
                let pictures = zip(recipe.renditions, zip(images, outputs)).compactMap { spec, written in
                    written.1.sealed.map {
                        PictureStore.Picture(
                            format: spec.encoding.format, image: written.0, file: $0)
                    }
                }
                precondition(pictures.count == outputs.count, "a rendition was accepted unchecked")
                return RenderedPhoto(report: report, pictures: pictures)
            case .rejected(let rejection, _):
                trace.note(verdict: "rejected: \(rejection.code.rawValue)")
                throw AttemptError.rejected(rejection.code.rawValue, rejection.message)
            }
        }
    }
}

/// A file of the media store to which a renderer writes.
///
/// The renderer might still write to its descriptor, so the file is sealed before it is checked.
private final class SealedOutput: RenderOutput {
    private let file: MediaFile
    private let media: any MediaStore
    private let found = Mutex<SealedRendition?>(nil)

    init(file: MediaFile, media: any MediaStore) {
        self.file = file
        self.media = media
    }

    var descriptor: Int32 { file.descriptor }

    /// Nil until the bytes have passed the check.
    var sealed: SealedRendition? { found.withLock { $0 } }

    func look(atMost limit: Int, _ check: (UnsafeRawBufferPointer) throws -> Void) throws {
        let sealed = try media.sealRendition(file, atMost: limit, check)
        found.withLock { $0 = sealed }
    }
}
