extension PostgresError {
    /// Whether the database was away, gave the connection or the statement up, or has no room.
    ///
    /// Nothing is wrong with the statement or its values. A caller waits, tries the same again on another connection,
    /// and counts no try of the job against it. Whether the statement took effect is not always known.
    ///
    /// - Class 57: a person or the server's end stopped it. A statement that our own task cancelled throws
    ///   `CancellationError` instead, so `queryCanceled` too comes from someone else.
    /// - Class 53: no free connection, no memory, no disk space; class 58: an error of the server's operating system.
    /// - 25006: the server is a standby, as after the loss of a primary server. Our sessions and transactions are
    ///   otherwise read write.
    /// - Class XX is not an outage, although waiting would spend no try: what one corrupt row throws would stop all
    ///   work for good. Its job fails, and can be replayed after the repair.
    package var isOutage: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .connectionClosed, .timeout, .poolClosed, .system:
            return true
        case .invalidConfiguration, .encoding, .decoding, .transaction, .unsupported: return false
        case .server:
            guard let sqlState else { return false }
            switch sqlState {
            case .idleInTransactionTimeout, .transactionTimeout, .readOnlyTransaction: return true
            default: return ["08", "53", "57", "58"].contains(sqlState.conditionClass)
            }
        }
    }

    /// Whether the server, or this client, refuses the statement with its values, and would refuse it again.
    package var isRefusal: Bool { !isOutage && !isContention && !isSchemaMismatch }

    /// Whether another transaction was in the way: a deadlock, a serialization failure, or a lock that was not free in
    /// time.
    ///
    /// The transaction was rolled back. A caller runs the whole transaction again after a short random wait, a few
    /// times, on the same database.
    package var isContention: Bool {
        code == .server
            && [.serializationFailure, .deadlockDetected, .lockNotAvailable].contains(sqlState)
    }

    /// Whether the server undid the transaction so that others could go on: a deadlock or a serialization failure.
    ///
    /// The same transaction may succeed at once. ``PostgresPool`` runs it again.
    var wasVictim: Bool {
        code == .server && [.serializationFailure, .deadlockDetected].contains(sqlState)
    }

    /// Whether the database lacks a function, table, column, type or schema that the statement names: it has the schema of
    /// another release, or none.
    ///
    /// No retry helps before the one or the other is upgraded. A caller says so (`darkroom migrate`), and counts no
    /// try of a job against it: the same job succeeds afterwards.
    package var isSchemaMismatch: Bool {
        code == .server
            && [.undefinedFunction, .undefinedTable, .undefinedColumn, .undefinedObject, .undefinedSchema]
                .contains(sqlState)
    }
}
