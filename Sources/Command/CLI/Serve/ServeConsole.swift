import Arguments
import CommandSupport
import Console
import FoundationEssentials
import Glibc
import HTTPServer
import Imaging
import JobStore
import Postgres
import Telemetry

/// The console of a server, at an address of its own.
struct ServeConsole {
    private let console: ConsoleServer
    private let server: HTTPServer
    private let close: @Sendable () async -> Void

    static let options: [Option] = [
        .value(
            "console", "ADDR",
            "serve the console for operators and moderators here, such as 127.0.0.1:8081 (default: nowhere)",
            environment: "DARKROOM_CONSOLE"),
        .value(
            "console-database", "URL",
            "database login of the console, a member of the roles darkroom_operator and darkroom_moderator (default: --database)",
            environment: "DARKROOM_CONSOLE_DATABASE"),
        ConsoleCommand.consoleURL,
        .value(
            "console-issuer", "URL", "let people sign in to the console with this provider of OpenID Connect"),
        .value("console-client", "ID", "the console's name at the provider"),
        .value("console-secret", "FILE", "file with the secret of --console-client, if it has one"),
        .repeated(
            "console-rule", "RULE",
            "who gets which role: 'operator groups=admins', 'moderator email=mia@example.org', or 'operator-readonly …'; the first counts"
        ),
    ]

    /// Nil unless `--console` is given.
    static func start(_ arguments: ParsedArguments, _ log: Log) async throws -> ServeConsole? {
        guard let address = arguments.string("console"), !address.isEmpty else { return nil }
        let provider = try provider(arguments)
        let operators = try await pool(arguments, .operator)
        let moderators = try await pool(arguments, .moderator)
        do {
            for (pool, role) in [(operators, InstallationRole.operator), (moderators, .moderator)] {
                try await requireRights(pool, role)
            }
        } catch {
            await operators.close()
            await moderators.close()
            throw error
        }
        let renderers = try Settings.renderers(size: 1, mayBeMissing: true)
        let store = JobStore(pool: operators)
        let site = ConsoleSite(
            operators: operators, moderators: moderators,
            media: try Settings.mediaStore(arguments, operators),
            renderers: renderers, gazetteers: ServeSite.gazetteer(arguments, log),
            provider: provider, isSecure: arguments.string("console-url")?.hasPrefix("https://") ?? false,
            log: log
        ) {
            try await QueueDoctor(store: store, patience: .seconds(60)).findings().filter { $0.level != .ok }
                .map {
                    ConsoleFinding(what: $0.what, detail: $0.detail, remedy: $0.remedy)
                }
        }
        let console = ConsoleServer(site)
        var limits = HTTPServer.Limits()
        limits.connections = 200
        limits.connectionsPerClient = 200
        limits.idleSeconds = 90
        let server: HTTPServer
        do throws(HTTPServerError) {
            server = try HTTPServer(address: address, limits: limits) { await console.respond(to: $0) }
        } catch {
            throw error.code == .malformedAddress
                ? UsageError("--console \(address): \(error.message)") : error
        }
        log.info("console.listening", ["address": .init(server.address), "port": .init(Int(server.port))])
        return ServeConsole(console: console, server: server) {
            await operators.close()
            await moderators.close()
            await renderers.shutdown()
        }
    }

    /// Nil unless people may sign in with a provider.
    private static func provider(_ arguments: ParsedArguments) throws -> SignInProvider? {
        let texts = arguments.strings("console-rule")
        let rules = try texts.map { text in
            guard let rule = SignInProvider.Rule(text) else {
                throw UsageError("--console-rule '\(text)' is not a rule such as 'operator groups=admins'")
            }
            return rule
        }
        switch (arguments.string("console-issuer"), arguments.string("console-client")) {
        case (nil, nil) where rules.isEmpty: return nil
        case (var issuer?, let client?) where !rules.isEmpty:
            while issuer.hasSuffix("/") { issuer.removeLast() }
            var url = arguments.string("console-url") ?? ""
            while url.hasSuffix("/") { url.removeLast() }
            return try SignInProvider(
                issuer: issuer, client: client, secret: try secret(arguments),
                redirect: url + "/sign-in/callback", rules: rules)
        default:
            throw UsageError("--console-issuer, --console-client and --console-rule belong together")
        }
    }

    private static func secret(_ arguments: ParsedArguments) throws -> String? {
        guard let path = arguments.string("console-secret") else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("--console-secret: \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init)
    }

    func stop(grace: Duration) async {
        await console.stop()
        await server.stop(grace: grace)
        await close()
    }

    private static func pool(_ arguments: ParsedArguments, _ role: InstallationRole) async throws
        -> PostgresPool
    {
        var configuration = try await Settings.configuration(arguments, applicationName: "darkroom-console")
        if let url = arguments.string("console-database"), !url.isEmpty { configuration.url = url }
        configuration.role = role.name
        configuration.statementTimeout = ConsoleServer.patience
        return PostgresPool(configuration, size: 4)
    }

    private static func requireRights(_ pool: PostgresPool, _ role: InstallationRole) async throws {
        do {
            try await withDeadline(.seconds(15)) { try await pool.query("select 1") }
        } catch let error as PostgresError
            where [.insufficientPrivilege, .invalidParameterValue].contains(error.sqlState)
        {
            throw CommandError(
                "the console's login cannot take on the role of the \(role.rawValue)s (\(error.message)): run 'darkroom roles create', "
                    + "and grant it darkroom_operator and darkroom_moderator (docs/console.md)")
        }
    }
}
