import API
import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import HTTPServer
import Imaging
import Telemetry
import Tokens

/// The options of `darkroom serve`, checked before anything is started.
struct ServeOptions {
    let address: String
    let limits: HTTPServer.Limits
    let authentication: Authenticator.Configuration
    let api: APIServer.Configuration
    let rate: RateLimit?
    let reader: String?
    let connections: Int
    let shutdownBudget: Duration
    let logLevel: Log.Level
    let logFormat: Log.Format?

    var verifiesAnyone: Bool { authentication.tokenKeys != nil || authentication.apiKeys != nil }

    init(_ arguments: ParsedArguments) throws {
        address = arguments.string("http") ?? "127.0.0.1:8080"
        var limits = HTTPServer.Limits()
        limits.connections = try arguments.int("most-clients", in: 1...100_000) ?? 1000
        limits.connectionsPerClient =
            try arguments.int("most-per-client", in: 1...100_000)
            ?? (arguments.flag("behind-proxy") ? limits.connections : 64)
        limits.idleSeconds = 30
        limits.threads = 2
        self.limits = limits
        authentication = Authenticator.Configuration(
            tokenKeys: Self.path(arguments, "token-keys"),
            rules: TokenRules(
                issuer: arguments.string("token-issuer"), audiences: arguments.strings("token-audience"),
                personClaim: arguments.string("token-person") ?? "sub",
                sinceClaim: arguments.string("token-since")),
            apiKeys: Self.path(arguments, "api-keys"))
        api = try Self.api(arguments)
        let perMinute = try arguments.int("rate", in: 0...1_000_000) ?? 600
        rate = perMinute == 0 ? nil : RateLimit(perMinute, per: .seconds(60))
        reader = Self.path(arguments, "reader")
        connections = try arguments.int("connections", in: 1...1024) ?? 8
        shutdownBudget = try arguments.duration("shutdown-budget") ?? .seconds(10)
        logLevel = try arguments.choice("log-level", of: Log.Level.self) ?? .info
        logFormat = try arguments.choice("log-format", of: Log.Format.self)
    }

    /// Nil without pages to share.
    private static func sharing(_ arguments: ParsedArguments) throws -> SharingOptions? {
        let isDemo = arguments.flag("demo")
        let address = arguments.string("public-url")
        let link = arguments.string("app-link")
        if let link, !SharingOptions.isAppLink(link) {
            throw UsageError(
                "--app-link \(link) must be an address with {post_id} in it, such as https://app.example.org/posts/{post_id}"
            )
        }
        if arguments.flag("require-token") {
            guard address == nil else {
                throw UsageError(
                    "--public-url shows posts to everybody, so it does not go with --require-token")
            }
            return nil
        }
        guard address != nil || isDemo else {
            guard link == nil else {
                throw UsageError("--app-link is for the pages to share, so it needs --public-url")
            }
            return nil
        }
        guard let options = SharingOptions(address: address ?? "", appLink: link) else {
            throw UsageError(
                "--public-url \(address ?? "") must be an address without a query, such as https://photos.example.org"
            )
        }
        guard isDemo, link == nil else { return options }
        return SharingOptions(address: options.address, appLink: "\(options.path)/demo/#/post/{post_id}")
    }

    private static func api(_ arguments: ParsedArguments) throws -> APIServer.Configuration {
        var api = APIServer.Configuration()
        api.allowsAnonymousReading = !arguments.flag("require-token")
        api.origins = arguments.strings("origin")
        api.trustsProxy = arguments.flag("behind-proxy")
        api.uploads.bytes = Int64(
            try arguments.int("most-bytes", in: 1...1_000_000_000) ?? RenderLimits().bytes)
        api.uploads.directory =
            arguments.string("uploads").flatMap { $0.isEmpty ? nil : $0 } ?? "\(Settings.home)/uploads"
        api.uploads.lifetime =
            try arguments.duration("upload-lifetime").map { max(1, Int($0 / .seconds(1))) } ?? 86_400
        api.uploads.longestWait = try arguments.duration("longest-wait").map { $0 / .seconds(1) }
        api.pictures.maxAge = Int(try arguments.duration("picture-age").map { $0 / .seconds(1) } ?? 60)
        api.sharing = try sharing(arguments)
        if let path = arguments.string("accel") {
            guard path.hasPrefix("/") else {
                throw UsageError("--accel \(path) must begin with /, such as /media")
            }
            var path = path
            while path.hasSuffix("/") { path.removeLast() }
            api.pictures.internalPath = path
        }
        if let path = arguments.string("link-key") {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw UsageError("--link-key: \(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            guard data.count >= 32 else {
                throw UsageError(
                    "--link-key: \(path) has \(data.count) bytes; make it with: openssl rand -out \(path) 32")
            }
            api.pictures.linkKey = [UInt8](data)
        }
        return api
    }

    private static func path(_ arguments: ParsedArguments, _ name: String) -> String? {
        arguments.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
