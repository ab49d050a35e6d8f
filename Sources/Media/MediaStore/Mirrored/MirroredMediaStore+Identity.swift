extension MirroredMediaStore {
    /// Calls `body` with the two places.
    ///
    /// The database is asked if files are to be stored without a transaction that looks for them later, if nothing is known, or
    /// if `body` misses something: the move may have begun, or ended, since.
    func withStores<Value: Sendable>(
        _ body: (Stores) async throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        if let fixed { return try await body(fixed) }
        if let stores = known.stores {
            do throws(MediaError) {
                return try await body(stores)
            } catch {
                guard error.code == .unavailable || error.code == .notFound else { throw error }
            }
        }
        return try await body(try await ask())
    }

    /// Asks the database, and finds out which place is which.
    func ask() async throws(MediaError) -> Stores {
        let answer: RecordedIdentity
        do {
            answer = try await record(nil)
        } catch {
            throw .unconfirmed(location, error)
        }
        if let stores = known.stores, stores.answer.isSame(as: answer) { return stores }
        return try await resolve(answer)
    }

    func resolve(_ answer: RecordedIdentity) async throws(MediaError) -> Stores {
        guard let identity = answer.identity else {
            return Stores(answer: answer, recorded: first, other: nil)
        }
        let (here, there) = try await places(of: identity)
        let other =
            switch answer.move?.stage {
            case .underWay(let next): next
            case .finished(let from): from
            case nil: String?.none
            }
        let stores = Stores(
            answer: answer, recorded: here.recorded(as: identity), other: other.map { there.recorded(as: $0) }
        )
        known.stores = stores
        return stores
    }

    private func places(
        of identity: String
    ) async throws(MediaError) -> (here: any IdentifiedStore, there: any IdentifiedStore) {
        let fault: MediaError
        do throws(MediaError) {
            if try await first.identity() == identity { return (first, second) }
            // It says what is there instead.
            try await first.require(identity)
            return (first, second)
        } catch {
            fault = error
        }
        if (try? await second.identity()) == identity { return (second, first) }
        throw fault
    }

    /// Of a move, both places must be there.
    @discardableResult
    package func check() async throws(MediaError) -> String? {
        if let fixed {
            for store in fixed.both { try await store.check() }
            return fixed.answer.identity
        }
        let stores = try await ask()
        guard let identity = stores.answer.identity else { return try await first.check() }
        try await stores.recorded.check()
        if let mirror = stores.mirror {
            known.nextIdentity = try await mirror.check()
        } else {
            // Whoever begins a move waits until all workers have seen the next store. Until then it may be absent.
            let seen = [try? await first.identity(), try? await second.identity()]
            known.nextIdentity = seen.compactMap(\.self).first { $0 != identity }
        }
        return identity
    }

    package func identity() async throws(MediaError) -> String? {
        if let fixed { return fixed.answer.identity }
        let stores = try await ask()
        return stores.answer.identity == nil
            ? try await first.identity() : try await stores.recorded.identity()
    }

    package func mark(as proposal: String) async throws(MediaError) -> String {
        try await first.mark(as: proposal)
    }

    // MARK: Probes

    package func requireResponse() async throws(MediaError) {
        try await first.requireResponse()
        try await second.requireResponse()
    }

    package func probeReading(isNeeded: Bool) async throws(MediaError) {
        try await check()
        for store in try await current() { try await store.probeReading(isNeeded: isNeeded) }
    }

    package func probeWriting(isNeeded: Bool) async throws(MediaError) {
        try await check()
        for store in try await current() { try await store.probeWriting(isNeeded: isNeeded) }
    }

    private func current() async throws(MediaError) -> [any MediaStore] {
        try await withStores { (stores) async throws(MediaError) in stores.both }
    }

    package func probeDescriptors() async throws(MediaError) { try await first.probeDescriptors() }

    package func examine() async throws(MediaError) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for store in try await current() { findings += try await store.examine() }
        return findings
    }
}
