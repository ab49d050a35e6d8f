package import FoundationEssentials
package import JobQueue

/// Something that keeps PostgreSQL from removing dead rows, because it may still read them.
package struct SnapshotHolder: Sendable {
    package enum Kind: String, Sendable {
        case transaction
        case preparedTransaction = "prepared transaction"
        case replicationSlot = "replication slot"
        case standby
    }

    package let kind: Kind
    /// The process, or the name of the prepared transaction, slot or standby.
    package let name: String
    package let user: String?
    package let application: String?
    /// For a transaction `active` or `idle in transaction`; for a slot `active` or `inactive`.
    package let state: String?
    /// Time since it began; unknown (nil) for slots and standbys.
    package let age: Duration?
    /// How many transactions have begun since.
    package let transactions: Int
}

/// A table's dead rows, according to the statistics.
package struct TableBloat: Sendable {
    package let table: String
    package let live: Int
    package let dead: Int
    package let lastVacuum: Date?
}

/// An index or a constraint of the schema that is missing in the database, an index that PostgreSQL does not use or that should
/// be a key's, or a constraint that does not hold for every row.
package struct DefinitionFault: Sendable {
    /// Of a constraint with its table, as `caption_is_short on posts`.
    package let name: String
    /// The statement that makes it; nil for one that the schema does not have, such as a partition's.
    let definition: String?
    let isThere: Bool
    let isUsable: Bool
    let isKey: Bool
    /// Somebody is making it just now, or making it valid.
    package let isBeingMade: Bool
    /// Whether the schema has it, or it belongs to one that the schema has. Others are for those who made them.
    package let isOurs: Bool

    package var text: String {
        isThere ? isUsable ? "\(name) is no key" : "\(name) is not valid" : "\(name) is missing"
    }
}

/// Settings that keep autovacuum from the tables of the queue.
package struct AutovacuumState: Sendable {
    package let isOn: Bool
    /// Without row counts, autovacuum does not know which tables need it.
    package let countsRows: Bool
    /// Tables for which it is disabled.
    package let disabledTables: [String]
}

package struct HistoryPartitions: Sendable {
    /// Missing partitions of today and tomorrow, such as `finished_jobs_20260501`.
    package let missing: [String]
    /// Rows of today or later in the default partitions: they keep PostgreSQL from creating the partition.
    package let strayRows: Int
    /// All rows in the default partitions.
    package let defaultRows: Int
}

/// A running job that nobody seems to run.
package struct StrayLease: Sendable {
    package let job: JobID
    package let worker: WorkerID
    package let held: Duration
    /// Whether a claim is recorded for it. If not, no worker can find it by itself.
    package let isKnown: Bool
    /// Whether the worker has a row. If it has, it is silent.
    package let isRegistered: Bool
}

/// Jobs that have waited too long for a claim.
package struct OverdueJobs: Sendable {
    package let queue: String
    package let kind: JobKind
    package let oldest: JobID
    package let waited: Duration
    /// Living workers that serve the queue and are not draining.
    package let workers: Int
    /// Those of them with a free slot.
    package let idleWorkers: Int
}
