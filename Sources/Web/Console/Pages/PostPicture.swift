import HTTPServer
import MediaStore
import Posts

/// A picture of a post in any state. It was rendered in the sandbox when the post was made.
struct PostPicture: Sendable {
    let site: ConsoleSite
    let visit: Visit

    private static let types = ["jpg": "image/jpeg", "webp": "image/webp", "avif": "image/avif"]

    func response(_ number: Int64) async throws -> HTTPResponse {
        // Asked with the rights of the person, not with those of the server.
        let post = try await ReviewStore(pool: site.reviewing(visit.session)).post(number)
        let missing = ConsoleError.notFound("There is no picture of post \(number).")
        guard let keys = post?.pictures, !keys.isEmpty else { throw missing }
        let wanted = visit.form["size"] == "small" ? keys.last! : keys[0]
        guard let key = try? MediaKey(validating: wanted),
            let type = wanted.split(separator: ".").last.flatMap({ Self.types[String($0)] })
        else { throw missing }
        do throws(MediaError) {
            let file = try await site.media.openRendition(key)
            let byteCount = try file.byteCount()
            return HTTPResponse(
                headers: [
                    "Content-Type": type, "Cache-Control": "private, max-age=300",
                    "Content-Security-Policy": "default-src 'none'; sandbox",
                ], content: .file(try Self.file(file, byteCount)))
        } catch {
            throw error.code == .notFound
                ? missing
                : ConsoleError(status: 503, title: "The picture cannot be read", text: "\(error)")
        }
    }

    private static func file(_ file: MediaFile, _ byteCount: Int64) throws(MediaError) -> HTTPFile {
        do throws(HTTPServerError) {
            return try HTTPFile(duplicating: file.descriptor, byteCount: byteCount)
        } catch {
            throw MediaError(.io, path: "", message: "\(error)")
        }
    }
}
