import Digests
import HTTPServer

/// The stylesheet and the script.
enum ConsoleFile {
    private static let files: [String: (type: String, bytes: [UInt8], tag: String)] = {
        func file(_ type: String, _ bytes: [UInt8]) -> (type: String, bytes: [UInt8], tag: String) {
            (type, bytes, "\"\(SHA256Digest(hashing: bytes).hex.prefix(32))\"")
        }
        return [
            "console.css": file("text/css; charset=utf-8", PackageResources.console_css),
            "console.js": file("text/javascript; charset=utf-8", PackageResources.console_js),
        ]
    }()

    /// Nil for another path.
    static func response(to request: HTTPRequest) -> HTTPResponse? {
        guard request.segments.count == 1, let file = files[request.segments[0]] else { return nil }
        // A browser asks each time, so that a newer console has its own files.
        let headers: HTTPHeaders = ["Content-Type": file.type, "ETag": file.tag, "Cache-Control": "no-cache"]
        if request.headers["If-None-Match"] == file.tag { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(headers: headers, content: .bytes(file.bytes))
    }
}
