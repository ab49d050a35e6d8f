package import LocalObjectStore

/// The object store of this test process, started when first needed.
package actor ObjectStoreServer {
    package static let shared = ObjectStoreServer()

    private var starting: Task<LocalObjectStore, any Error>?

    /// The first call starts it.
    package func store() async throws -> LocalObjectStore {
        if let starting { return try await starting.value }
        let task = Task { try await LocalObjectStore.start(checkout: Checkout.root) }
        starting = task
        return try await task.value
    }

    /// Its address, such as `http://127.0.0.1:41845`.
    package func endpoint() async throws -> String { try await store().endpoint }

    /// Whether Swift is installed, or could be.
    package static func isAvailable() async -> Bool {
        // Tried once, by the server's own script: its status says whether the programs are what is missing.
        do {
            _ = try await shared.store()
            return true
        } catch let error as LocalObjectStore.NotInstalled {
            print("\(LocalObjectStore.missing). \(error)")
            return false
        } catch {
            // The tests fail with this error.
            return true
        }
    }
}
