/// How one file of `sql/` compares to the database.
package struct SchemaStatus: Sendable, Equatable {
    package enum State: String, Sendable {
        /// The database has this version of the file.
        case applied
        /// The database does not have it yet.
        case pending
        /// The database has a different version of the file.
        case changed
        /// The database has it, but this release does not.
        case removed
    }

    package let kind: SchemaFile.Kind
    package let name: String
    package let state: State
    /// UTC, as PostgreSQL writes it; nil while pending.
    package let appliedAt: String?
}

extension SchemaStatus {
    /// `1 table file, 12 functions, 2 triggers`
    package static func counts(_ status: [SchemaStatus]) -> String {
        func part(_ noun: String, _ kinds: SchemaFile.Kind...) -> String? {
            let count = status.count { kinds.contains($0.kind) }
            return count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s")"
        }
        return [
            part("table file", .table), part("function", .function, .pinned), part("trigger", .trigger),
            part("constraint", .constraint),
        ].compactMap(\.self).joined(separator: ", ")
    }
}

/// The database cannot be brought to this release's schema.
package struct SchemaError: Error, CustomStringConvertible {
    package enum Reason: Sendable, Equatable {
        /// A newer release added tables.
        case newerRelease(table: String)
        /// A table file was applied with different text.
        case differentTable(String)
        /// A newer release has changed the database since.
        case olderRelease(ReleaseVersion, than: ReleaseVersion)
        /// A pinned function has changed, and no pending table file names it.
        case pinnedChanged(String)
        /// A table file names a pinned function that has no file.
        case unknownPinned(String, table: String)
        /// After all files have run, the database has several functions of the name, or none.
        case notOneFunction(String, count: Int)
        /// A table file's head names a constraint in another form than `caption_is_short on posts`.
        case unknownConstraint(String)
    }

    package let reason: Reason

    package var description: String {
        switch reason {
        case .newerRelease(let table):
            "the database has tables from \(table), which this release does not have: "
                + "run the newer release that applied them"
        case .differentTable(let table):
            "the tables from \(table) were made with different text than this release has: "
                + "run the release that made them or restore the database"
        case .olderRelease(let own, let recorded):
            "release \(recorded) has changed the database, and this is the older release \(own): run the newer one"
        case .pinnedChanged(let name):
            "sql/pinned/\(name).sql has changed, and no new file in sql/tables names it: "
                + "stored rows depend on this function, so add a table file with the line “-- Pinned: \(name)” that brings them up to date"
        case .unknownPinned(let name, let table):
            "sql/tables/\(table).sql names the pinned function \(name), which has no file in sql/pinned"
        case .notOneFunction(let name, let count):
            "the database has \(count) functions named \(name) instead of one: name the former arguments in the "
                + "file's head, as in “-- Replaces: \(name)(integer, text)”"
        case .unknownConstraint(let name):
            "a file in sql/tables has “-- Validates: \(name)”: write the constraint and its table, as in "
                + "“-- Validates: caption_is_short on posts”"
        }
    }
}
