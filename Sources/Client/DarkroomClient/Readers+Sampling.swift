import Postgres
import Synchronization

extension Readers {
    /// Starts to measure if that is due. Nobody waits for a reader that did not respond the last time.
    func startSampling(_ state: inout State) {
        let now = now()
        let due = state.statuses.indices.filter { !state.measured.contains($0) }
        for number in due where state.statuses[number].retryAt.map({ $0 <= now }) ?? false {
            state.measured.insert(number)
            Task { await measure(number) }
        }
        let present = due.filter { state.statuses[$0].retryAt == nil }
        guard state.sampling == nil, state.sampledAt.map({ now - $0 >= interval }) ?? true else { return }
        state.measured.formUnion(present)
        state.sampledAt = now
        state.sampling = Task {
            await sample(present)
            self.state.withLock { $0.sampling = nil }
        }
    }

    /// Measures readers, until one can be used or all have responded. The others go on being measured.
    private func sample(_ present: [Int]) async {
        let began = now()
        let position = try? await withDeadline(patience) { [writer] in
            let row = try await writer.query(
                """
                select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint as bytes,
                       \(unescaped: PostgresConnection.started) as started
                """)[0]
            return ServerPosition(
                bytes: try row.decode("bytes", as: Int64.self),
                started: try row.decode("started", as: Int64.self))
        }
        guard let position else {
            state.withLock { $0.measured.subtract(present) }
            return
        }
        state.withLock { state in
            state.positions.removeAll { $0.at < began - maxLag }
            state.positions.append((began, position.bytes))
            state.writerStarted = position.started
        }
        let (responses, response) = AsyncStream.makeStream(of: Void.self)
        for number in present {
            Task {
                await measure(number)
                response.yield()
            }
        }
        var missing = present.count
        guard missing > 0 else { return }
        for await _ in responses {
            missing -= 1
            if missing == 0 || state.withLock({ !ready($0).isEmpty }) { return }
        }
    }

    private func measure(_ number: Int) async {
        let began = now()
        let pool = pools[number]
        do {
            let position = try await withDeadline(patience) {
                try await pool.withConnection { try await $0.serverPosition() }
            }
            state.withLock { state in
                state.measured.remove(number)
                let currentAt =
                    if let started = position.started {
                        started == state.writerStarted ? began : nil
                    } else {
                        state.positions.last { $0.bytes <= position.bytes }?.at
                    }
                let known = position.started == nil ? state.statuses[number].currentAt : nil
                state.statuses[number] = Status(currentAt: [known, currentAt].compactMap(\.self).max())
            }
        } catch {
            state.withLock { _ = $0.measured.remove(number) }
            markAway(number)
        }
    }

    func markAway(_ number: Int) {
        state.withLock { state in
            let failures = state.statuses[number].failures + 1
            // Up to 15 seconds.
            let delay = min(interval * (1 << min(failures - 1, 8)), .seconds(15))
            state.statuses[number] = Status(failures: failures, retryAt: now() + delay)
        }
    }
}
