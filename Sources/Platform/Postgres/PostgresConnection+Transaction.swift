import CLibPQ

extension PostgresConnection {
    /// Runs `body` in a transaction, read committed and read write, and commits it.
    ///
    /// If `body` throws, the transaction is rolled back and that error is thrown; a connection that cannot roll back
    /// is closed. If the task is cancelled before the commit, the transaction is rolled back; a commit that has begun
    /// is awaited, so its result is known. If the server does not reply to it within `commitTimeout`, or within two seconds
    /// once the task is cancelled, the connection is closed and `connectionLost` is thrown. Nested transactions throw `transaction`. `body` must not share the
    /// connection with other tasks, whose statements would become part of the transaction.
    nonisolated package func transaction<T>(
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        try await checkNoTransaction()
        do {
            // Explicit, because a connection pooler may run it in a session that never got our settings.
            try await execute("begin isolation level read committed read write")
        } catch var error as PostgresError {
            await onCancelWake { await rollBack() }
            // How a standby refuses `read write`. It refuses a write with the other state.
            if error.sqlState == .featureNotSupported { error.sqlState = .readOnlyTransaction }
            throw error
        } catch {
            await onCancelWake { await rollBack() }
            throw error
        }
        let value: T
        do {
            value = try await body(self)
        } catch {
            await onCancelWake { await rollBack() }
            throw error
        }
        try await onCancelWake { try await commit() }
        return value
    }

    private func checkNoTransaction() throws {
        guard try openHandle().transactionStatus == PQTRANS_IDLE else {
            throw PostgresError(.transaction, "a transaction is already open on this connection")
        }
    }

    private func commit() throws {
        do {
            try Task.checkCancellation()
            switch try openHandle().transactionStatus {
            case PQTRANS_INTRANS: try runToEnd("commit")
            case PQTRANS_INERROR:
                // COMMIT would roll back and still report success.
                throw PostgresError(
                    .transaction,
                    "a statement of the transaction failed, so it was rolled back, not committed")
            default:
                throw PostgresError(.transaction, "the transaction was ended by one of its own statements")
            }
        } catch {
            rollBack()
            throw error
        }
    }

    private func rollBack() {
        guard let handle = try? openHandle(), handle.transactionStatus != PQTRANS_IDLE else { return }
        do {
            try runToEnd("rollback")
        } catch {
            abandon(
                PostgresError(
                    .connectionClosed, "the connection was closed because a rollback failed: \(error)"))
        }
    }
}
