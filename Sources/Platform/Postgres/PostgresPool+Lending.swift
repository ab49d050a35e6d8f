import Synchronization

extension PostgresPool {
    /// An idle connection, or a new one.
    func borrow() async throws -> PostgresConnection {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        do {
            while true {
                if let connection = try await borrow(ticket) { return connection }
            }
        } catch let error as PostgresError where error.sqlState == .tooManyConnections {
            // Thrown only by a cancelled task. If its deadline cancelled it, this says why it passed.
            throw Deadline.hasPassed ? error : CancellationError()
        }
    }

    /// Nil if the server has no free connection.
    private func borrow(_ ticket: Int) async throws -> PostgresConnection? {
        if let idle = try await turn(ticket) {
            if idle.seemsAlive { return idle }
            await idle.close()
        }
        do {
            let connection = try await PostgresConnection.connect(configuration)
            update { $0.endBackoff() }
            return connection
        } catch let error as PostgresError where error.sqlState == .tooManyConnections {
            backOff(error)
            return nil
        } catch {
            let refusal = update { state in
                state.open -= 1
                return state.backoff?.refusal
            }
            throw error is CancellationError ? refusal ?? error : error
        }
    }

    /// Waits for an idle connection, or for the right to open one, which is nil.
    private func turn(_ ticket: Int) async throws -> PostgresConnection? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let failure = update { state -> (any Error)? in
                    if state.isClosed { return Self.closed }
                    if Task.isCancelled { return state.backoff?.refusal ?? CancellationError() }
                    let place = state.waiters.firstIndex { $0.ticket > ticket } ?? state.waiters.count
                    state.waiters.insert(Waiter(ticket: ticket, continuation: continuation), at: place)
                    return nil
                }
                if let failure { continuation.resume(throwing: failure) }
                // The handler may have run before there was a waiter to find.
                if Task.isCancelled { cancelWaiter(ticket) }
            }
        } onCancel: {
            cancelWaiter(ticket)
        }
    }

    private func cancelWaiter(_ ticket: Int) {
        let (waiter, refusal) = state.withLock { state in
            let place = state.waiters.firstIndex { $0.ticket == ticket }
            return (place.map { state.waiters.remove(at: $0) }, state.backoff?.refusal)
        }
        waiter?.continuation.resume(throwing: refusal ?? CancellationError())
    }

    func giveBack(_ connection: PostgresConnection) async {
        let isKept = update { state in
            guard connection.isReusable, !state.isClosed, state.open <= state.size,
                state.idleLimit > .zero || !state.waiters.isEmpty
            else { return false }
            state.idle.append((connection, .now))
            return true
        }
        if !isKept { await end([connection]) }
    }

    /// Closes connections and only then gives up their places, so that there are never more than `size`.
    func end(_ connections: [PostgresConnection]) async {
        for connection in connections { await connection.close() }
        update { $0.open -= connections.count }
    }
}

extension PostgresPool {
    /// Gives up the place of a task that the server refused. From now on waiters do not connect on their own.
    private func backOff(_ refusal: PostgresError) {
        update { state in
            state.open -= 1
            guard state.backoff == nil, !state.isClosed else { return }
            state.backoff = Backoff(refusal: explained(refusal), task: Task { await connectLater() })
        }
    }

    /// Connects for the first waiter, until that succeeds or nobody waits: each time after a random part of a time
    /// that doubles, so that pools that were refused together do not come back together.
    private func connectLater() async {
        var limit = Duration.milliseconds(20)
        while (try? await Task.sleep(for: limit * Double.random(in: 0...1))) != nil, takePlace() {
            limit = min(limit * 2, .seconds(1))
            do {
                await giveBack(try await PostgresConnection.connect(configuration))
                return update { $0.endBackoff() }
            } catch let error as PostgresError where error.sqlState == .tooManyConnections {
                update { state in
                    state.open -= 1
                    state.backoff?.refusal = explained(error)
                }
            } catch {
                // The waiters connect on their own again, and get their own errors.
                return update { state in
                    state.open -= 1
                    // Else somebody else connected, or the pool was closed.
                    if !Task.isCancelled { state.backoff = nil }
                }
            }
        }
    }

    /// Takes the right to open a connection; false if nobody needs it.
    private func takePlace() -> Bool {
        state.withLock { state in
            guard !Task.isCancelled else { return false }
            guard !state.waiters.isEmpty, state.open < state.size else {
                state.backoff = nil
                return false
            }
            state.open += 1
            return true
        }
    }

    private func explained(_ refusal: PostgresError) -> PostgresError {
        var refusal = refusal
        refusal.message = "the server has no free connection: \(refusal.message)"
        refusal.hint =
            "allow more (max_connections, or the limit of the role or the database), or run fewer workers"
        return refusal
    }

    /// Starts the task that closes connections when they have been idle for too long.
    func restartReaper(_ state: inout State) {
        state.reaper?.cancel()
        state.reaper = Task { [weak self] in
            while let next = await self?.closeExpired(), !Task.isCancelled {
                try? await Task.sleep(until: next, clock: .continuous)
            }
        }
    }

    /// Returns when the next one expires; nil if none is left.
    private func closeExpired() async -> ContinuousClock.Instant? {
        let (expired, next) = state.withLock { state in
            let oldest = ContinuousClock.now - state.idleLimit
            let expired = state.takeIdle(state.idle.prefix { $0.since <= oldest }.count)
            if state.idle.isEmpty, !Task.isCancelled { state.reaper = nil }
            return (expired, state.idle.first.map { $0.since + state.idleLimit })
        }
        await end(expired)
        return next
    }
}
