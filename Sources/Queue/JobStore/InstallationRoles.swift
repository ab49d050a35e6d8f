package import Postgres

/// A role that a database login can have in an installation.
package enum InstallationRole: String, CaseIterable, Sendable {
    /// Calls the public functions: enqueues, votes, reports, reads feeds.
    case api
    /// Reads feeds.
    case reader
    /// Lists what waits for review, and decides on posts.
    case moderator
    /// Runs `darkroom work`.
    case worker
    /// Reads everything, operates the queue and decides on posts.
    case `operator`
    /// Owns the schema; runs `darkroom migrate`.
    case owner

    /// A description that follows "may".
    package var meaning: String {
        switch self {
        case .api: "call the public functions: enqueue, report, vote, comment, and read feeds"
        case .reader: "read feeds"
        case .moderator: "list what waits for review, and decide on posts"
        case .worker: "run 'darkroom work'"
        case .operator: "read everything, operate the queue, review posts and set policies"
        case .owner: "run 'darkroom migrate'; owns the schema"
        }
    }

    /// Its name on the server.
    package var name: String { "darkroom_\(rawValue)" }
}

/// The roles of an installation, and what they may do.
///
/// They cannot log in: grant them to your logins. `darkroom.grant_roles()` defines their rights, and every migration
/// calls it. `darkroom.take_ownership()` makes the role owner the owner. Roles belong to the server: installations in several
/// databases of one server share them.
package struct InstallationRoles: Sendable {
    package struct Record: Sendable, Equatable {
        package let role: InstallationRole
        package let exists: Bool
        /// The logins and roles that are direct members.
        package let members: [String]
    }

    private let connection: PostgresConnection

    package init(_ connection: PostgresConnection) { self.connection = connection }

    /// The SQL that creates missing roles and grants all of them their rights.
    ///
    /// Safe to repeat. Must run as an administrator, or as the schema's owner with `CREATEROLE`.
    package static var creation: String { (creationSteps + [""]).joined(separator: ";\n") }

    /// The last statement commits after each object, so it cannot share a transaction with the others.
    private static var creationSteps: [String] {
        let roles = InstallationRole.allCases.map { role in
            "        ('\(role.name)', 'May \(role.meaning.replacing("'", with: "''")).')"
        }
        let creation = """
            do $$
            declare
                one record;
            begin
                for one in select * from (values
            \(roles.joined(separator: ",\n"))) as r (name, meaning)
                loop
                    begin
                        execute format('create role %I nologin', one.name);
                        execute format('comment on role %I is %L', one.name, one.meaning);
                    exception when duplicate_object or unique_violation then
                        -- It exists from an earlier call, or from an installation in another database.
                        null;
                    end;
                end loop;
                -- The login that migrates must be able to give objects to the owner role. Since PostgreSQL 16, who creates
                -- a role is a member of it, but may only administer it.
                if not pg_has_role(current_user, '\(InstallationRole.owner.name)',
                                   case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end) then
                    execute format('grant %I to %I', '\(InstallationRole.owner.name)', current_user);
                end if;
            end $$
            """
        return [creation, "select darkroom.grant_roles()", "call darkroom.take_ownership()"]
    }

    /// Creates missing roles and grants all of them their rights.
    ///
    /// - Throws: ``PostgresError`` with `insufficientPrivilege` if the login may not create roles.
    package func create() async throws {
        for step in Self.creationSteps { try await connection.execute(step) }
    }

    package func list() async throws -> [Record] {
        var records: [Record] = []
        for role in InstallationRole.allCases {
            let rows = try await connection.query(
                """
                -- Since PostgreSQL 16, a member may be one that only administers the role.
                select array(select distinct m.rolname::text from pg_auth_members a join pg_roles m on m.oid = a.member
                             where a.roleid = r.oid and coalesce((to_jsonb(a) ->> 'set_option')::boolean, true)
                             order by 1) as members
                from pg_roles r where r.rolname = \(role.name)
                """)
            records.append(
                Record(
                    role: role, exists: !rows.isEmpty,
                    members: try rows.first?.decode("members", as: [String].self) ?? []))
        }
        return records
    }
}
