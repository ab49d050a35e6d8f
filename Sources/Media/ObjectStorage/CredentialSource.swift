import Glibc
import Threads

/// Where the keys to a store come from. Temporary keys are fetched again before they end.
///
/// The places are those that AWS's own tools look at, in their order: the environment, the shared file, the container's and
/// the machine's metadata.
package actor CredentialSource {
    private let fixed: StoreCredentials?
    private let environment: [String: String]
    private var cached: StoreCredentials?
    private var fetching: Task<StoreCredentials, any Error>?

    /// When they were last fetched, or could not be, in seconds since 1970.
    private var lookedAt = Int.min

    /// How long before their end, in seconds, temporary keys are fetched again.
    static let margin = 300
    /// After which time, in seconds, keys that are due or have ended are fetched once more.
    static let pause = 10

    package init(_ credentials: StoreCredentials) {
        fixed = credentials
        environment = [:]
    }

    /// - Parameter environment: the process's; tests give their own.
    package init(environment: [String: String] = CredentialSource.processEnvironment) {
        fixed = nil
        self.environment = environment
    }

    /// The keys to use now. Many may ask at once: one fetches for all.
    func current(over thread: TransferThread, now: Int) async throws(ObjectStoreError) -> StoreCredentials {
        if let fixed { return fixed }
        guard let cached, let expiry = cached.expiry else {
            if let cached { return cached }
            return try await fetched(over: thread, now: now)
        }
        if expiry - now > Self.margin { return cached }
        if (0..<Self.pause).contains(now - lookedAt) { return cached }
        guard expiry > now else { return try await fetched(over: thread, now: now) }
        // Those at hand are still good for a while: nobody waits for the others.
        lookedAt = now
        Task { try? await fetched(over: thread, now: now) }
        return cached
    }

    private func fetched(
        over thread: TransferThread, now: Int
    ) async throws(ObjectStoreError) -> StoreCredentials {
        let task: Task<StoreCredentials, any Error>
        if let fetching {
            task = fetching
        } else {
            let environment = environment
            task = Task { try await CredentialChain(environment: environment, thread: thread).fetch() }
            fetching = task
        }
        let result = await task.result
        if fetching == task { fetching = nil }
        switch result {
        case .success(let fresh):
            cached = fresh
            lookedAt = now
            return fresh
        case .failure(let error): throw error as? ObjectStoreError ?? .noCredentials("\(error)")
        }
    }

    /// Fetches the keys again if they are still those that the store has refused.
    ///
    /// - Returns: whether there are others now.
    func replaced(_ refused: StoreCredentials, over thread: TransferThread, now: Int) async -> Bool {
        if cached == refused { cached = nil }
        let present = try? await current(over: thread, now: now)
        return present.map { $0 != refused } ?? false
    }

    package static var processEnvironment: [String: String] {
        var found: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].hasPrefix("AWS_") || parts[0] == "HOME" {
                found[String(parts[0])] = String(parts[1])
            }
            next += 1
        }
        return found
    }
}

extension ObjectStoreError {
    static func noCredentials(_ why: String) -> ObjectStoreError {
        ObjectStoreError(.noCredentials, operation: "find the keys to the object store", message: why)
    }
}
