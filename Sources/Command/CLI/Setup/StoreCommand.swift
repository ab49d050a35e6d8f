import Arguments
import CommandSupport
import FoundationEssentials
import Ingestion
import MediaStore
import Postgres

enum StoreCommand {
    static let command = Command(
        "store", "Tell the database which media store is the right one.", subcommands: [adopt])

    private static let adopt = Command(
        "adopt", "Use the media directory as the store, in the place of another one.",
        discussion: """
            The database knows the identity of its media store, and nothing is read from or written to any other \
            directory. After you moved the store on purpose to a directory that has another identity or none, tell the \
            database with this command. Without --instead-of it only shows both identities. Running workers use the new \
            store within seconds. A copy of the whole store has the same identity and needs no command.
            """,
        options: [
            .value(
                "instead-of", "IDENTITY",
                "the identity that the database has now: proves that you mean to replace it"),
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
            let store = try Settings.mediaStore(arguments, pool)
            try await store.requireResponse()
            let found = try await store.identity()
            let recorded = try await pool.withConnection {
                try await LocalMediaStore.identity(recordedIn: $0)
            }
            guard let recorded else {
                return Output.note("The database has no media store yet: the first photo makes it.")
            }
            guard found != recorded else {
                return Output.note("\(store.root) is the database's media store, \(recorded).")
            }
            Output.note("The database's media store: \(recorded)")
            Output.note("\(store.root): \(found ?? "no identity: an empty directory, or no media store")")
            guard FileManager.default.fileExists(atPath: store.root) else {
                throw CommandError("there is no \(store.root): mount the disk, or make the directory")
            }
            guard let old = arguments.string("instead-of") else {
                throw CommandError(
                    "nothing was changed: if the files of the store are in \(store.root) now, run 'darkroom store adopt "
                        + "--instead-of \(recorded)'")
            }
            guard old == recorded, let new = try await store.adopt(insteadOf: old, in: pool) else {
                throw CommandError(
                    "nothing was changed: --instead-of \(old) is not the identity that the database has")
            }
            Output.note("\(store.root) is the database's media store now: \(new).")
        }
    }
}
