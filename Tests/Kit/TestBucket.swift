import LocalObjectStore
package import ObjectStorage

/// A new bucket of the test process's object store.
package struct TestBucket: Sendable {
    package let name: String
    /// Of the server itself.
    package let endpoint: String

    package static let keys = StoreCredentials(
        accessKey: LocalObjectStore.accessKey, secretKey: LocalObjectStore.secretKey)

    /// What a program needs in its environment.
    package static let environment = LocalObjectStore.environment

    package static func make() async throws -> TestBucket {
        var numbers = SystemRandomNumberGenerator()
        let bucket = TestBucket(
            name: "test-\(String(numbers.next(), radix: 36))",
            endpoint: try await ObjectStoreServer.shared.endpoint())
        try await bucket.client().makeBucket()
        return bucket
    }

    /// - Parameter endpoint: another way to the same server.
    package func location(prefix: String = "", endpoint: String? = nil) -> String {
        "s3://\(name)/\(prefix)?endpoint=\(endpoint ?? self.endpoint)&region=us-east-1"
    }

    /// A client that does not wait long before it tries again.
    package func client(
        prefix: String = "", endpoint: String? = nil, keys: StoreCredentials = TestBucket.keys,
        configure: (inout ObjectStore.Configuration) -> Void = { _ in }
    ) throws -> ObjectStore {
        var configuration = ObjectStore.Configuration()
        configuration.policy.firstPause = .milliseconds(1)
        configuration.policy.longestPause = .milliseconds(10)
        configure(&configuration)
        return try ObjectStore(
            ObjectStoreLocation(location(prefix: prefix, endpoint: endpoint)),
            credentials: CredentialSource(keys), configuration: configuration)
    }

    /// All keys below a prefix, in order.
    package func keys(prefix: String = "") async throws -> [String] {
        let client = try client(prefix: prefix)
        var keys: [String] = []
        var next: ListPage<ListedObject>.Continuation?
        repeat {
            let page = try await client.list(after: next)
            keys += page.items.map(\.key.text)
            next = page.next
        } while next != nil
        return keys
    }

    /// Removes all objects below a prefix.
    package func empty(prefix: String = "") async throws {
        let client = try client(prefix: prefix)
        for key in try await keys(prefix: prefix) { try await client.delete(ObjectKey(key)) }
    }
}

/// The kinds of media stores, for tests of what both do.
package enum StoreKind: String, Sendable, CaseIterable {
    case directory, bucket

    /// Without OpenStack Swift only the directory; why is printed.
    package static func available() async -> [StoreKind] {
        await ObjectStoreServer.isAvailable() ? allCases : [.directory]
    }

    /// For a rule that needs no more of a store than `BothStoresTests` shows of each: in the gate the directory alone.
    package static func exemplary() async -> [StoreKind] {
        Extent.isCheck ? await available() : [.directory]
    }
}
