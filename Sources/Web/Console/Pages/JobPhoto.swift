import Digests
import HTTPServer
import Imaging
import Ingestion
import JobQueue
import JobStore
import MediaStore

/// The photo of a job, rendered in the sandbox for this page: the original never reaches the browser.
struct JobPhoto: Sendable {
    let site: ConsoleSite

    private static let recipe = Recipe(
        name: "console", version: 1, renditions: [RenditionSpec(name: "console", shape: .fit(longSide: 1080))]
    )

    func response(_ number: Int64) async throws -> HTTPResponse {
        let store = site.jobs
        guard let job = try await store.job(JobID(rawValue: number)),
            JobDefinition.of(job.kind)?.subject == .upload,
            let upload = try await store.uploads([job.subject])[job.subject],
            let text = upload.originalKey, let key = try? MediaKey(validating: text),
            let byteCount = upload.originalByteCount
        else { throw ConsoleError.notFound("There is no photo of job \(number).") }
        let original: OpenedOriginal
        do throws(MediaError) {
            original = try await site.media.openOriginal(key, expectedBytes: byteCount, expectedSHA256: nil)
        } catch {
            throw ConsoleError(
                status: error.code == .notFound ? 404 : 503, title: "The photo cannot be read",
                text: "\(error)")
        }
        let output = try await site.media.makeUnnamedRendition()
        let verdict: RenderVerdict
        do {
            verdict = try await site.renderers.render(
                input: original.file.descriptor, outputs: [output.descriptor], recipe: Self.recipe)
        } catch let error as RendererError {
            throw ConsoleError(status: 422, title: "The photo cannot be rendered", text: "\(error)")
        }
        guard case .accepted = verdict else {
            throw ConsoleError(
                status: 422, title: "The photo cannot be rendered", text: "The renderer rejects it.")
        }
        return HTTPResponse(
            headers: [
                "Content-Type": "image/jpeg", "Content-Security-Policy": "default-src 'none'; sandbox",
                "Cache-Control": "private, max-age=300",
            ],
            content: .file(
                try HTTPFile(duplicating: output.descriptor, byteCount: try output.byteCount())))
    }
}
