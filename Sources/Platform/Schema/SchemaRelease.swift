/// Which release has migrated a database, and whose workers can go on with its schema.
///
/// `sql/README.md` says when to raise `oldestServed` and the `oldestSchema` of ``WorkerRelease``.
package struct SchemaRelease: Sendable, Equatable {
    package let release: ReleaseVersion
    /// Workers of older releases stop claiming jobs.
    package let oldestServed: ReleaseVersion

    package init(release: ReleaseVersion, oldestServed: ReleaseVersion) {
        self.release = release
        self.oldestServed = oldestServed
    }

    /// Nil if a text is not the version of a release.
    init?(release: String, oldestServed: String) {
        guard let release = ReleaseVersion(release), let oldestServed = ReleaseVersion(oldestServed) else {
            return nil
        }
        self.init(release: release, oldestServed: oldestServed)
    }

    package static let current = SchemaRelease(
        release: .current, oldestServed: ReleaseVersion("0.1.0")!)
}

/// The release of a worker, and the oldest schema that it can serve.
package struct WorkerRelease: Sendable {
    package let release: ReleaseVersion
    package let oldestSchema: ReleaseVersion

    package init(release: ReleaseVersion, oldestSchema: ReleaseVersion) {
        self.release = release
        self.oldestSchema = oldestSchema
    }

    package static let current = WorkerRelease(
        release: .current, oldestSchema: ReleaseVersion("0.1.0")!)

    /// Why the worker cannot serve a schema; nil if it can.
    ///
    /// Each side knows the releases before it: a newer database says whether it still serves this worker, and a newer worker
    /// knows whether it can still serve the database.
    package func fault(with schema: SchemaRelease) -> String? {
        if release < schema.oldestServed {
            return
                "release \(schema.release) has migrated the database, which no longer serves workers older than "
                + "\(schema.oldestServed), and this one is \(release): update this worker"
        }
        if schema.release < oldestSchema {
            return
                "the database has the schema of release \(schema.release), and this worker of release \(release) "
                + "needs that of \(oldestSchema) or newer: run 'darkroom migrate'"
        }
        return nil
    }

    /// The same for what the database has recorded.
    package func fault(release: String, oldestServed: String) -> String? {
        guard let schema = SchemaRelease(release: release, oldestServed: oldestServed) else {
            return
                "the database records the release “\(release)” that serves “\(oldestServed)”, and these are not two "
                + "versions of Darkroom: run the newest 'darkroom migrate'"
        }
        return fault(with: schema)
    }
}
