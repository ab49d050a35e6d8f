import Synchronization

/// Limits how often each key (a person, or a client's address) may ask: the generic cell rate algorithm (ITU-T I.371).
///
/// A key costs 16 bytes: the hash of its name, and the moment at which it is full again. At most `most` keys are held. One
/// that is full again is forgotten when room is needed, since a new key is full as well; if that is not enough, those that
/// are full soonest are forgotten first, so a flood of new keys does not free one that was used up. Two names have the
/// same hash with a probability of 2⁻⁶⁴; it differs in each process.
package final class RateLimiter: Sendable {
    package enum Verdict: Hashable, Sendable {
        case allowed
        /// The value of `Retry-After`: whole seconds, 1 or more.
        case retryAfter(seconds: Int)
    }

    private struct Shard {
        /// Nanoseconds from `start` at which each key is full again.
        var full: [UInt64: Int64] = [:]
    }

    /// A value type that holds a lock cannot be in an array.
    private final class LockedShard: Sendable {
        let shard = Mutex(Shard())
    }

    private let limit: RateLimit
    private let start: ContinuousClock.Instant
    private let shards: [LockedShard]
    private let mostPerShard: Int

    /// - Parameters:
    ///   - most: 16 or more.
    ///   - start: any moment, from which the others are counted.
    package init(_ limit: RateLimit, most: Int = 100_000, start: ContinuousClock.Instant = .now) {
        precondition(most >= 16)
        self.limit = limit
        self.start = start
        shards = (0..<16).map { _ in LockedShard() }
        mostPerShard = most / 16
    }

    /// How many keys are held.
    package var count: Int { shards.reduce(0) { $0 + $1.shard.withLock { $0.full.count } } }

    /// Whether the key may ask at this moment. Only a request that is allowed counts.
    package func ask(_ key: String, at now: ContinuousClock.Instant) -> Verdict {
        var hasher = Hasher()
        var key = key
        // The bytes, because Swift takes some names for equal that are written differently.
        key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        let now = (now - start).wholeNanoseconds
        return shards[Int(hash & 15)].shard.withLock { shard in
            let full = max(shard.full[hash] ?? now, now) + limit.interval
            let excess = full - now - limit.capacity
            guard excess <= 0 else { return .retryAfter(seconds: Int((excess - 1) / 1_000_000_000 + 1)) }
            if shard.full[hash] == nil, shard.full.count >= mostPerShard { makeRoom(in: &shard, at: now) }
            shard.full[hash] = full
            return .allowed
        }
    }

    /// Forgets an eighth of the keys at least, so that this is rare.
    private func makeRoom(in shard: inout Shard, at now: Int64) {
        shard.full = shard.full.filter { $0.value > now }
        let target = mostPerShard - max(1, mostPerShard / 8)
        let surplus = shard.full.count - target
        guard surplus > 0 else { return }
        for key in shard.full.sorted(by: { $0.value < $1.value }).prefix(surplus) {
            shard.full[key.key] = nil
        }
    }
}
