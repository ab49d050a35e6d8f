package import Postgres

/// What a login of the database may be to an installation.
package enum InstallationRole: String, CaseIterable, Sendable {
    /// Calls the public functions: enqueues, votes, reports, reads feeds.
    case api
    /// Reads feeds.
    case reader
    /// Runs `darkroom work`.
    case worker
    /// Reads everything, looks after the queue and decides on posts.
    case `operator`
    /// Owns the schema; runs `darkroom migrate`.
    case owner

    /// For people, after "may".
    package var meaning: String {
        switch self {
        case .api: "call the public functions: enqueue, report, vote, comment, and read feeds"
        case .reader: "read feeds"
        case .worker: "run 'darkroom work'"
        case .operator: "read everything, look after the queue, review posts and set policies"
        case .owner: "run 'darkroom migrate'; owns the schema"
        }
    }

    /// Its name on the server: roles are the server's, and one installation's are not another's.
    package func name(schema: String) -> String { "\(schema)_\(rawValue)" }
}

/// The roles of an installation, and what they may do.
///
/// They can log in nowhere: grant them to your logins. What they may do is in `darkroom.grant_roles()`, which every
/// migration repeats. Databases of one server whose installations have one schema's name share the roles.
package struct InstallationRoles: Sendable {
    package struct Record: Sendable, Equatable {
        package let role: InstallationRole
        package let name: String
        package let exists: Bool
        /// The logins and roles that have it, directly.
        package let members: [String]
    }

    private let connection: PostgresConnection
    private let schema: String

    /// - Parameter schema: the installation's, that of `connection`.
    package init(_ connection: PostgresConnection, schema: String) {
        self.connection = connection
        self.schema = schema
    }

    /// The SQL that makes the roles that are missing and grants all of them what they may do.
    ///
    /// Safe to repeat. Needs `CREATEROLE`, and the schema's owner or an administrator.
    package static func creation(schema: String) -> String {
        let roles = InstallationRole.allCases.map { role in
            "        ('\(role.name(schema: schema))', 'May \(role.meaning.replacing("'", with: "''")).')"
        }
        return """
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
                        -- Of an earlier call, or of the installation of another database.
                        null;
                    end;
                end loop;
                -- Whoever migrates has to be one with the owner of the schema.
                if not pg_has_role(current_user, '\(InstallationRole.owner.name(schema: schema))', 'member') then
                    execute format('grant %I to %I', '\(InstallationRole.owner.name(schema: schema))', current_user);
                end if;
            end $$;
            select "\(schema)".grant_roles();
            """
    }

    /// Makes the roles that are missing and grants all of them what they may do.
    ///
    /// - Throws: ``RolesError`` for a schema without roles, and ``PostgresError`` with `insufficientPrivilege` where
    ///   the login may not make roles.
    package func create() async throws {
        // PostgreSQL cuts longer names, and a schema named public is others' too.
        guard InstallationRole.allCases.allSatisfy({ $0.name(schema: schema).utf8.count <= 63 }) else {
            throw RolesError(.nameTooLong, schema: schema)
        }
        guard schema != "public" else { throw RolesError(.sharedSchema, schema: schema) }
        try await connection.transaction { transaction in
            try await transaction.execute(Self.creation(schema: schema))
        }
    }

    package func list() async throws -> [Record] {
        var records: [Record] = []
        for role in InstallationRole.allCases {
            let name = role.name(schema: schema)
            let rows = try await connection.query(
                """
                select array(select m.rolname::text from pg_auth_members a join pg_roles m on m.oid = a.member
                             where a.roleid = r.oid order by 1) as members
                from pg_roles r where r.rolname = \(name)
                """)
            records.append(
                Record(
                    role: role, name: name, exists: !rows.isEmpty,
                    members: try rows.first?.decode("members", as: [String].self) ?? []))
        }
        return records
    }
}

/// The schema cannot have roles of its own.
package struct RolesError: Error, CustomStringConvertible {
    package enum Code: Sendable {
        /// A role's name would be longer than PostgreSQL's 63 bytes.
        case nameTooLong
        /// The schema is `public`, in which others' functions and tables may be.
        case sharedSchema
    }

    package let code: Code
    private let schema: String

    init(_ code: Code, schema: String) {
        self.code = code
        self.schema = schema
    }

    package var description: String {
        switch code {
        case .nameTooLong:
            "roles of the schema \(schema) would have names of more than 63 characters: "
                + "install into a schema with a shorter one"
        case .sharedSchema:
            "the schema public is not Darkroom's alone, so nothing can be taken from others there: "
                + "install into a schema of its own, see DARKROOM_SCHEMA"
        }
    }
}
