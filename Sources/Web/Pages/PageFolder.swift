import Digests
import FoundationEssentials
import Glibc
package import HTTPServer

/// The files of a web app. They are read once, so no path of a request reaches the disk.
package struct PageFolder: Sendable {
    private struct File: Sendable {
        let bytes: [UInt8]
        let type: String
        let tag: String
    }

    /// The most bytes of all files.
    package static let mostBytes = 16_000_000

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "json": "application/json",
        "webmanifest": "application/manifest+json", "svg": "image/svg+xml", "png": "image/png",
        "jpg": "image/jpeg", "webp": "image/webp",
    ]

    private var files: [String: File] = [:]

    /// Blocks: not for Swift's pool.
    ///
    /// - Parameter folders: each below a path of its own, such as `leaflet`; empty for the top. Hidden files, symbolic links and
    ///   files of other types are left out.
    package init(reading folders: [(path: String, folder: String)]) throws(PageFolderError) {
        for (path, folder) in folders { try read(folder, as: path) }
        guard files["index.html"] != nil else {
            throw PageFolderError(folders.first?.folder ?? "", "it has no index.html")
        }
    }

    private mutating func read(_ folder: String, as path: String) throws(PageFolderError) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw PageFolderError(folder, "it cannot be read: \(String(cString: strerror(errno)))")
        }
        for name in names where !name.hasPrefix(".") {
            let file = "\(folder)/\(name)"
            let key = path.isEmpty ? name : "\(path)/\(name)"
            var status = stat()
            guard lstat(file, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try read(file, as: key)
            case S_IFREG:
                guard let type = name.split(separator: ".").last.flatMap({ Self.types[String($0)] }),
                    let data = FileManager.default.contents(atPath: file)
                else { continue }
                let bytes = [UInt8](data)
                files[key] = File(
                    bytes: bytes, type: type, tag: "\"\(SHA256Digest(hashing: bytes).hex.prefix(32))\"")
                guard files.values.reduce(0, { $0 + $1.bytes.count }) <= Self.mostBytes else {
                    throw PageFolderError(
                        folder, "it has more than \(Self.mostBytes / 1_000_000) MB of files")
                }
            default: continue
            }
        }
    }

    /// What a browser may do with the pages: run the folder's own scripts and styles, and call this server.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// - Parameters:
    ///   - path: the segments below the folder.
    ///   - known: the value of `If-None-Match`; nil if the request does not have it.
    package func respond(
        to method: HTTPRequest.Method, path: ArraySlice<String>, known: String?
    ) -> HTTPResponse {
        guard [.get, .head].contains(method) else {
            var refusal = HTTPResponse(status: 405, body: "Only GET and HEAD are allowed here\n")
            refusal.headers.add("Allow", "GET, HEAD")
            return refusal
        }
        let key = path == [""] || path.isEmpty ? "index.html" : path.joined(separator: "/")
        guard let file = files[key] else { return .notFound }
        var headers: HTTPHeaders = [
            "ETag": file.tag, "Cache-Control": "no-cache", "Content-Security-Policy": Self.policy,
            "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
        ]
        let has = (known ?? "").split(separator: ",").contains { given in
            given.drop { $0 == " " }.replacing("W/", with: "") == file.tag
        }
        if has { return HTTPResponse(status: 304, headers: headers) }
        headers.add("Content-Type", file.type)
        return HTTPResponse(headers: headers, content: .bytes(file.bytes))
    }
}

package struct PageFolderError: Error, CustomStringConvertible {
    package let folder: String
    package let message: String

    init(_ folder: String, _ message: String) {
        self.folder = folder
        self.message = message
    }

    package var description: String { "\(folder): \(message)" }
}
