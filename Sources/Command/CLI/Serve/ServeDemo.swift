import API
import Arguments
import CommandSupport
import FoundationEssentials
import HTTPServer
import Pages
import Threads
import Tokens

/// The demo app below `/demo/`, and who its visitors are.
struct ServeDemo: Sendable {
    static let options: [Option] = [
        .flag("demo", "serve a web app at /demo/ in which every visitor is a new person: to try things out"),
        .value("demo-files", "DIR", "the files of the web app (default: those that came with darkroom)"),
        .flag(
            "demo-for-anyone",
            "let --demo listen where other machines reach it, and next to --token-keys or --api-keys"),
    ]

    /// Debian's package libjs-leaflet.
    private static let leaflet = "/usr/share/javascript/leaflet"

    private let pages: PageFolder
    private let visitors = DemoVisitors()

    /// Nil without `--demo`.
    init?(_ arguments: ParsedArguments, _ options: ServeOptions) async throws {
        let given = arguments.string("demo-files").flatMap { $0.isEmpty ? nil : $0 }
        guard arguments.flag("demo") else {
            if given != nil || arguments.flag("demo-for-anyone") {
                throw UsageError("--demo-files and --demo-for-anyone need --demo")
            }
            return nil
        }
        if !arguments.flag("demo-for-anyone") {
            guard !options.verifiesAnyone else {
                throw UsageError(
                    "--demo lets everybody in, so it is not for an installation with --token-keys or --api-keys; "
                        + "if that is meant, add --demo-for-anyone")
            }
            guard let address = try? ListenAddress(options.address), address.isLoopback else {
                throw UsageError(
                    "--demo lets everybody in, so it listens on 127.0.0.1 only and not on \(options.address); "
                        + "if that is meant, add --demo-for-anyone")
            }
        }
        guard let folder = given ?? Self.folder() else {
            throw UsageError(
                "the files of the demo are not next to darkroom: name them with --demo-files DIR")
        }
        guard FileManager.default.fileExists(atPath: Self.leaflet) else {
            throw CommandError(
                "--demo needs the map library in \(Self.leaflet): apt-get install libjs-leaflet")
        }
        do {
            pages = try await onThread {
                try PageFolder(reading: [("", folder), ("leaflet", Self.leaflet)])
            }
        } catch let error as PageFolderError {
            throw UsageError("--demo-files \(error)")
        }
    }

    /// Where the package puts the files, or the checkout in which the program was built.
    private static func folder() -> String? {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var parts = (program ?? "").split(separator: "/").dropLast()
        while !parts.isEmpty {
            let above = "/" + parts.joined(separator: "/")
            for folder in ["\(above)/share/darkroom/demo", "\(above)/examples/web"]
            where FileManager.default.fileExists(atPath: folder + "/index.html") {
                return folder
            }
            parts.removeLast()
        }
        return nil
    }

    // MARK: Requests

    /// Nil for a path that is not the demo's.
    ///
    /// - Parameter limit: how long the client must wait; nil if it need not.
    func respond(to request: HTTPRequest, limit: APIServer.Limit) -> HTTPResponse? {
        switch request.segments.first {
        case nil,
            "demo" where request.segments.count == 1:
            HTTPResponse(status: 302, headers: ["Location": "/demo/", "Cache-Control": "no-store"])
        case "demo" where request.segments == ["demo", "token"]: identity(request, limit)
        case "demo":
            pages.respond(
                to: request.method, path: request.segments.dropFirst(),
                known: request.headers["If-None-Match"])
        default: nil
        }
    }

    /// What an app's sign-in does: it says who the visitor is. With a token that is still valid, the person stays the same.
    private func identity(_ request: HTTPRequest, _ limit: APIServer.Limit) -> HTTPResponse {
        guard request.method == .post else {
            return Problem(.methodNotAllowed, "Here, the method is POST.").response
        }
        if let seconds = limit(nil, request.client) {
            return Problem(
                .tooManyRequests, "Send the request again in \(seconds) s.", retryAfter: max(1, seconds)
            ).response
        }
        let now = Date()
        let known = try? caller(of: request, at: now)
        let identity = known.map { visitors.identity(of: $0.person, at: now) } ?? visitors.newcomer(at: now)
        return HTTPResponse(
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            content: .bytes(
                Array(
                    JSON.object([
                        ("person", .string(identity.person)), ("token", .string(identity.token)),
                        ("expires", .integer(identity.expires)),
                    ]).line.utf8)))
    }

    /// Nil if the request does not have a token of the demo.
    func caller(of request: HTTPRequest, at now: Date) throws(Problem) -> Caller? {
        guard let authorization = request.headers["Authorization"],
            authorization.lowercased().hasPrefix("bearer \(DemoVisitors.prefix)")
        else { return nil }
        guard request.headers["Darkroom-Person"] == nil else {
            throw Problem(.unauthenticated, "Darkroom-Person is only for requests with an API key.")
        }
        guard let caller = visitors.caller(token: authorization.dropFirst("bearer ".count), at: now) else {
            throw Problem(
                .unauthenticated, "The token has ended, or is of a demo that has stopped: get another one.",
                reason: "expired")
        }
        return caller
    }
}
