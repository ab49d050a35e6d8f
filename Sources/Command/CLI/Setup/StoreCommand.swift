import Arguments
import CivilCalendar
import CommandSupport
import Ingestion
import MediaStore
import Postgres
import Posts

enum StoreCommand {
    static let command = Command(
        "store", "Show the media store, or tell the database which one is the right one.",
        subcommands: [show, adopt])

    private static let show = Command(
        "show", "Show which media store the database has, and which one is at the place of DARKROOM_MEDIA.",
        options: [Settings.database, Settings.media],
        examples: [Example("darkroom store show", "shows the identities of both")]
    ) { arguments in
        try await Settings.withPool(arguments) { pool in
            let recorded = try await pool.withConnection {
                try await RecordedIdentity.read(from: $0).identity
            }
            Output.line("The database's media store: \(recorded ?? "none yet")")
            let store = try Settings.withUsage {
                try MediaLocation.store(at: Settings.mediaLocation(arguments)) { _ in .none(proposal: "") }
            }
            Output.line("\(store.location): \(try await store.identity() ?? "no media store")")
        }
    }

    private static let adopt = Command(
        "adopt", "Use the place of DARKROOM_MEDIA as the media store, instead of another one.",
        discussion: """
            The database knows the identity of its media store, and nothing is read from or written to any other \
            place. After you moved the store on purpose to a directory or bucket that has another identity or none, tell the \
            database with this command. Without --instead-of it only shows both identities. Running workers use the new \
            store within seconds. A copy of the whole store has the same identity and needs no command. A store that another database \
            has made is used only after this command, with --instead-of none.
            """,
        options: [
            .value(
                "instead-of", "IDENTITY",
                "the identity that the database has now, or none: proves that you mean to replace it"),
            .flag("without-files", "although none of the files is there to which the database refers"),
            Settings.database, Settings.media,
        ],
        examples: [
            Example("darkroom store adopt", "shows the identities and changes nothing"),
            Example(
                "darkroom store adopt --instead-of 2f1c60b7d95e8a43",
                "makes the directory of DARKROOM_MEDIA the store"),
        ]
    ) { arguments in
        try await Settings.withPool(arguments) { pool in
            let store = try Settings.withUsage {
                try MediaLocation.store(at: Settings.mediaLocation(arguments), recordedIn: pool)
            }
            try await store.requireResponse()
            let found = try await store.identity()
            let recorded = try await pool.withConnection {
                try await RecordedIdentity.read(from: $0).identity
            }
            guard found != nil || recorded != nil else {
                return Output.note("The database has no media store yet: the first photo makes it.")
            }
            guard found == nil || found != recorded else {
                return Output.note("\(store.location) is the database's media store, \(found ?? "").")
            }
            Output.note("The database's media store: \(recorded ?? "none yet")")
            Output.note("\(store.location): \(found ?? "no identity: it is empty, or no media store")")
            let keys = try await MediaReferenceStore(pool: pool).sample()
            // What is no key names no file of any store.
            let present = try await store.countPresent(
                among: keys.compactMap { try? MediaKey(validating: $0) })
            guard let old = arguments.string("instead-of") else {
                if recorded == nil {
                    Output.note(
                        "Another database has made it. If that one is still in use, choose another place: two "
                            + "databases with one store delete each other's files.")
                }
                throw CommandError(
                    "nothing was changed: if the files of the store are in \(store.location) now, run 'darkroom store adopt "
                        + "--instead-of \(recorded ?? nothing)'")
            }
            Output.note("Of \(keys.count) files to which the database refers, \(present) are there.")
            guard present > 0 || keys.isEmpty || arguments.flag("without-files") else {
                throw CommandError(
                    "nothing was changed: photos whose files are not there are rejected; mount the right disk, or give "
                        + "--without-files if the files are lost")
            }
            let replaced = old == nothing ? nil : old
            guard replaced == recorded, let new = try await store.adopt(insteadOf: replaced, in: pool) else {
                throw CommandError("nothing was changed: the database does not have --instead-of \(old)")
            }
            Output.note("\(store.location) is the database's media store now: \(new).")
        }
    }

    /// In the place of an identity.
    private static let nothing = "none"
}
