import Arguments
import CommandSupport
import DarkroomClient
import Gazetteer
import MediaStore
import Postgres
import Telemetry

/// What a server finds where it starts. A mistake shows then, and not in the first request.
enum ServeSite {
    /// - Throws: ``CommandError`` if the login may not call what the API calls.
    static func requireRights(_ client: DarkroomClient) async throws {
        let rows = try await client.write(
            """
            select current_user::text as login, coalesce(bool_and(has_function_privilege(p.oid, 'execute')), false) as may_call
            from pg_proc p
            where p.pronamespace = (select typnamespace from pg_type where oid = to_regtype('darkroom.feed_post'))
              and p.proname in ('enqueue_upload', 'vote_on_post', 'latest_posts', 'media_identity')
            """)
        guard let row = rows.first, try !row.decode("may_call", as: Bool.self) else { return }
        throw noRights(try row.decode("login"))
    }

    private static func noRights(_ login: String) -> CommandError {
        CommandError(
            "the login \(login) may not call the API's functions: run 'darkroom roles create', and grant it the role "
                + "darkroom_api (docs/roles.md)")
    }

    static func explained(_ error: any Error) -> any Error {
        let cause = (error as? DarkroomError)?.underlying ?? error
        guard let error = cause as? PostgresError, error.sqlState == .insufficientPrivilege else {
            return Settings.explained(error)
        }
        return CommandError(
            "this login may not use the API (\(error.message)): run 'darkroom roles create', and grant it the role "
                + "darkroom_api (docs/roles.md)")
    }

    /// A server whose store is away serves lists, and takes uploads when it is back.
    static func reportStore(_ client: DarkroomClient, _ log: Log) async {
        do {
            try await client.store.check()
        } catch {
            log.warning(
                "serve.store_away",
                [
                    "error": .init("\(error)"),
                    "remedy":
                        "mount the store or correct DARKROOM_MEDIA; until then uploads are refused with 503",
                ])
        }
    }

    /// Nil without an index that can be read: everything but places is served.
    static func gazetteer(_ arguments: ParsedArguments, _ log: Log) -> GazetteerHandle? {
        do {
            return try Settings.gazetteerHandle(arguments)
        } catch {
            log.warning(
                "serve.no_gazetteer",
                [
                    "error": .init("\(error)"),
                    "remedy":
                        "run 'darkroom gazetteer build' and start again; until then there is no /v1/places",
                ])
            return nil
        }
    }
}
