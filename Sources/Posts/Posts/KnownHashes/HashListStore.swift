package import FoundationEssentials
package import Postgres

/// A list of known photos.
package struct HashList: Sendable, Equatable {
    /// What happens to an upload that is on it. Raw values are those of `darkroom.hash_lists.action`.
    package enum Action: String, Sendable, CaseIterable { case hold, refuse }

    package let id: Int64
    package let name: String
    package let action: Action
    /// The most bits, of 256, in which the hash of a photo may differ from one of the list.
    package let distance: Int
    package let note: String?
    package let addedBy: String
    package let addedAt: Date
    package let hashes: Int
}

/// An upload that was refused because of a list.
package struct HashRefusal: Sendable, Equatable {
    package let upload: Int64
    package let job: Int64
    package let uploader: String
    package let match: ListMatch
    package let at: Date
}

/// What a check of posts found.
package struct HashCheck: Sendable, Equatable {
    package var examined = 0
    /// Posts that are on a list and were put into the review list.
    package var listed = 0
    /// Those of them that readers could see until then.
    package var hidden = 0

    package init() {}
}

/// Lists of the PDQ hashes of known photos.
package struct HashListStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Every list, by name.
    package func lists() async throws -> [HashList] {
        try await pool.query(
            """
            select list_id, name, action, distance, note, added_by, added_at,
                   (select count(*) from darkroom.listed_hashes h where h.list_id = l.list_id) as hashes
            from darkroom.hash_lists l order by name
            """
        ).map { row in
            HashList(
                id: try row.decode("list_id", as: Int64.self), name: try row.decode("name", as: String.self),
                action: HashList.Action(rawValue: try row.decode("action", as: String.self)) ?? .hold,
                distance: try row.decode("distance", as: Int.self),
                note: try row.decode("note", as: String?.self),
                addedBy: try row.decode("added_by", as: String.self),
                addedAt: try row.decode("added_at", as: Date.self),
                hashes: try row.decode("hashes", as: Int.self))
        }
    }

    /// The number of a list; nil if there is none of this name.
    package func list(named name: String) async throws -> Int64? {
        try await pool.query("select list_id from darkroom.hash_lists where name = \(name)").first?
            .decode("list_id", as: Int64.self)
    }

    /// What all lists together say at one time: it differs after each change.
    package struct Version: Sendable, Equatable { let text: String? }

    /// The version of the lists that a screening looks at, asked for before. Waits at the gate of a list that comes into force.
    package static func version(in pool: PostgresPool) async throws -> Version {
        try await pool.query("select darkroom.share_lock('hash_lists', 1)")
        return try await Version(text: pool.query(version)[0].decode("version", as: String?.self))
    }

    /// Whether the lists still say what they said. They do until the caller's transaction ends, since ``close(_:in:)`` waits
    /// for it: so a post is published before a check of all posts begins, or screened by the new list. Ask last.
    package static func isInForce(_ version: Version, in transaction: PostgresConnection) async throws -> Bool
    {
        try await transaction.query("select darkroom.share_lock('hash_lists')")
        return try await transaction.query(Self.version)[0].decode("version", as: String?.self)
            == version.text
    }

    private static let version: PostgresQuery =
        "select string_agg(list_id || ':' || version, ' ' order by list_id) as version from darkroom.hash_lists"

    /// Puts a changed list into force, as the last act of the caller's transaction: no post is published until it ends.
    ///
    /// A lock of rows does not hold back those who share it, and publishers share it all the time. So a gate stops those who
    /// begin, and then only those wait to be published who have passed it.
    package static func close(_ list: Int64, in transaction: PostgresConnection) async throws {
        try await transaction.query("select darkroom.take_lock('hash_lists', 1)")
        try await transaction.query("select darkroom.take_lock('hash_lists')")
        try await transaction.query(
            "update darkroom.hash_lists set version = version + 1 where list_id = \(list)")
    }

    /// Creates a list in the caller's transaction, or finds the one of this name, which then gets this action, distance and note.
    package static func open(
        _ name: String, _ action: HashList.Action, distance: Int, note: String?, by person: String,
        in transaction: PostgresConnection
    ) async throws -> Int64 {
        try await transaction.query(
            """
            insert into darkroom.hash_lists as l (name, action, distance, note, added_by)
            values (\(name), \(action.rawValue), \(distance)::smallint, \(note), \(person))
            on conflict (name) do update
            set action = excluded.action, distance = excluded.distance, note = coalesce(excluded.note, l.note)
            returning list_id
            """)[0].decode("list_id", as: Int64.self)
    }

    /// Adds hashes to a list in the caller's transaction. Returns how many it did not have yet.
    package static func add(
        _ hashes: [KnownHash], to list: Int64, in transaction: PostgresConnection
    ) async throws -> Int {
        try await transaction.query(
            """
            with added as (
                insert into darkroom.listed_hashes (list_id, hash)
                select \(list)::bigint, ('x' || h)::bit(256) from unnest(\(hashes.map(\.hexadecimal))::text[]) h
                on conflict do nothing returning 1)
            select count(*) as count from added
            """)[0].decode("count", as: Int.self)
    }

    /// Removes a list with its hashes. What it has held or refused stays so. Returns false if there is none of this name.
    package func remove(_ name: String) async throws -> Bool {
        try await !pool.query("delete from darkroom.hash_lists where name = \(name) returning list_id")
            .isEmpty
    }

    /// The highest number of a post; 0 if there is none.
    package func lastPost() async throws -> Int64 {
        try await pool.query("select coalesce(max(post_id), 0) as last from darkroom.posts")[0]
            .decode("last", as: Int64.self)
    }

    /// Compares the next posts with the lists, or with one, and puts those that are on a list into the review list, each in its own
    /// transaction.
    ///
    /// - Returns: the last post that was examined; nil at the end.
    package func check(
        after post: Int64, atMost limit: Int, against list: Int64?, adding total: inout HashCheck
    ) async throws -> Int64? {
        let row = try await pool.query("select * from darkroom.listed_posts(\(post), \(limit), \(list))")[0]
        total.examined += try row.decode("examined", as: Int.self)
        for found in try row.decode("found", as: [Int64].self) {
            let hidden = try await pool.query("select was_seen from darkroom.hide_listed(\(found), \(list))")
            guard let hidden = hidden.first else { continue }
            total.listed += 1
            if try hidden.decode("was_seen", as: Bool.self) { total.hidden += 1 }
        }
        return try row.decode("last_post", as: Int64?.self)
    }

    /// Keeps for moderators why an upload was refused. A later try of the same upload replaces it.
    package func record(refusalOf upload: Int64, _ match: ListMatch) async throws {
        try await pool.query(
            """
            insert into darkroom.hash_refusals (upload_id, list_id, list_name, distance)
            values (\(upload), \(match.list), \(match.name), \(match.distance)::smallint)
            on conflict (upload_id) do update
            set list_id = excluded.list_id, list_name = excluded.list_name, distance = excluded.distance,
                refused_at = excluded.refused_at
            """)
    }

    /// Uploads that were refused, the latest first.
    package func refusals(limit: Int) async throws -> [HashRefusal] {
        try await pool.query(
            """
            select r.upload_id, u.job_id, u.uploader, r.list_id, r.list_name, r.distance, r.refused_at
            from darkroom.hash_refusals r join darkroom.uploads u using (upload_id)
            order by r.refused_at desc, r.upload_id desc limit \(limit)
            """
        ).map { row in
            HashRefusal(
                upload: try row.decode("upload_id", as: Int64.self),
                job: try row.decode("job_id", as: Int64.self),
                uploader: try row.decode("uploader", as: String.self),
                match: ListMatch(
                    list: try row.decode("list_id", as: Int64.self),
                    name: try row.decode("list_name", as: String.self),
                    distance: try row.decode("distance", as: Int.self)),
                at: try row.decode("refused_at", as: Date.self))
        }
    }
}
