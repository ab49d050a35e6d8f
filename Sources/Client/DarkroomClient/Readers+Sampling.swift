import Postgres
import Synchronization

extension Readers {
    /// Starts to measure if that is due. Nobody waits for a reader that did not respond the last time.
    func startSampling(_ state: inout State) {
        let now = ContinuousClock.now
        for number in state.statuses.indices {
            guard let retryAt = state.statuses[number].retryAt, retryAt <= now else { continue }
            // Until this trial has ended.
            state.statuses[number].retryAt = now + Self.patience * 2
            Task { await measure(number) }
        }
        let present = state.statuses.indices.filter { state.statuses[$0].retryAt == nil }
        guard state.sampling == nil, state.sampledAt.map({ now - $0 >= interval }) ?? true else { return }
        state.sampledAt = now
        state.sampling = Task {
            await sample(present)
            self.state.withLock { $0.sampling = nil }
        }
    }

    private func sample(_ present: [Int]) async {
        let began = ContinuousClock.now
        let position = try? await withDeadline(Self.patience) { [writer] in
            try await writer.query(
                "select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint as position")[0]
                .decode("position", as: Int64.self)
        }
        guard let position else { return }
        state.withLock { state in
            state.positions.removeAll { $0.at < began - maxLag }
            state.positions.append((began, position))
        }
        await withTaskGroup(of: Void.self) { (group) async -> Void in
            for number in present { group.addTask { await self.measure(number) } }
        }
    }

    private func measure(_ number: Int) async {
        let began = ContinuousClock.now
        let pool = pools[number]
        do {
            let replayed = try await withDeadline(Self.patience) {
                try await pool.withConnection { try await $0.replayedPosition() }
            }
            state.withLock { state in
                // One that is not a standby has everything.
                let currentAt =
                    replayed.map { replayed in state.positions.last { $0.bytes <= replayed }?.at } ?? began
                let known = state.statuses[number].currentAt
                state.statuses[number] = Status(
                    currentAt: [known, currentAt].compactMap(\.self).max())
            }
        } catch {
            markAway(number)
        }
    }

    func markAway(_ number: Int) {
        state.withLock { state in
            let failures = state.statuses[number].failures + 1
            // Up to 15 seconds.
            let delay = min(interval * (1 << min(failures - 1, 8)), .seconds(15))
            state.statuses[number] = Status(failures: failures, retryAt: .now + delay)
        }
    }
}
