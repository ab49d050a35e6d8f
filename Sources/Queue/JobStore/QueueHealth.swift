package import FoundationEssentials
package import JobQueue

/// What keeps PostgreSQL from removing dead rows: something that may still look at them.
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
    /// Of a transaction: `active`, `idle in transaction`; of a slot: `active`, `inactive`.
    package let state: String?
    /// Since it began; nil for slots and standbys, which do not say.
    package let age: Duration?
    /// How many transactions began since.
    package let transactions: Int
}

/// A table's dead rows, as the statistics have them.
package struct TableBloat: Sendable {
    package let table: String
    package let live: Int
    package let dead: Int
    package let lastVacuum: Date?
}

/// An index of the migrations that the database lacks, or one that PostgreSQL does not use.
package struct IndexFault: Sendable {
    package let name: String
    /// SQL that makes it.
    package let remedy: String
    package let isMissing: Bool
}

/// What keeps autovacuum from tables of the queue.
package struct AutovacuumState: Sendable {
    package let isOn: Bool
    /// Without counts autovacuum does not know where to go.
    package let countsRows: Bool
    /// Tables for which it is disabled.
    package let disabledTables: [String]
}

/// The partitions of history.
package struct HistoryPartitions: Sendable {
    /// Of today and tomorrow, such as `finished_jobs_20260501`.
    package let missing: [String]
    /// Rows in the default partitions that are of today or later: they keep a partition from being made.
    package let strayRows: Int
    /// Rows in the default partitions in all.
    package let defaultRows: Int
}

/// Jobs that wait to be claimed for too long.
package struct OverdueJobs: Sendable {
    package let queue: String
    package let kind: JobKind
    package let oldest: JobID
    package let waited: Duration
    /// Living workers that serve the queue and are not draining.
    package let workers: Int
    /// Those of them that have room for another job.
    package let idleWorkers: Int
}
