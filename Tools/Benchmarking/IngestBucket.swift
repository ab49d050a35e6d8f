import FoundationEssentials
import Glibc
import LocalObjectStore
import ObjectStorage

/// The bucket that a media store is in while it is measured.
package enum IngestBucket: Sendable {
    /// Of an OpenStack Swift that is started for it, on this machine.
    case here
    /// `s3://…`, with keys from this process's environment. What is put below its prefix is removed again.
    case at(String)

    /// A bucket that is there.
    struct Store: Sendable {
        let location: ObjectStoreLocation
        let environment: [String: String]
        let credentials: CredentialSource
        fileprivate let server: LocalObjectStore?

        var isHere: Bool { server != nil }

        /// User and system time of the store's processes; 0 for one elsewhere.
        var cpuSeconds: Double {
            server?.processes.reduce(0) { $0 + ProcessFigures(process: $1).cpuSeconds } ?? 0
        }

        /// Calls `body` with the location of a new media store, and removes its files.
        func withLocation<T>(_ body: (String) async throws -> T) async throws -> T {
            let media = try ObjectStoreLocation(
                "s3://\(location.bucket)/\(location.prefix)bench-\(UInt64.random(in: .min ... .max))"
                    + "?endpoint=\(location.endpoint)&region=\(location.region)&style=\(location.style.rawValue)"
            )
            let result: Result<T, any Error>
            do {
                result = .success(try await body(media.description))
            } catch {
                result = .failure(error)
            }
            // In a separate task, so that an interrupted benchmark also removes them.
            try await Task {
                let objects = try ObjectStore(media, credentials: credentials)
                var next: ListPage<ListedObject>.Continuation?
                repeat {
                    let page = try await objects.list(after: next)
                    for item in page.items { try await objects.delete(item.key) }
                    next = page.next
                } while next != nil
            }.value
            return try result.get()
        }
    }

    func with<T>(_ body: (Store) async throws -> T) async throws -> T {
        switch self {
        case .at(let text):
            var environment: [String: String] = [:]
            for name in [
                "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
                "AWS_SHARED_CREDENTIALS_FILE", "HOME",
            ] {
                environment[name] = getenv(name).map { String(cString: $0) }
            }
            return try await body(
                Store(
                    location: try ObjectStoreLocation(text), environment: environment,
                    credentials: CredentialSource(), server: nil))
        case .here:
            guard
                let checkout = LocalObjectStore.checkout(above: BenchmarkTools.resolved("/proc/self/exe"))
                    ?? LocalObjectStore.checkout(above: FileManager.default.currentDirectoryPath + "/x")
            else { throw BenchmarkError("there is no scripts/object-store: run this in a checkout") }
            let server = try await LocalObjectStore.start(checkout: checkout)
            let location = try ObjectStoreLocation(
                "s3://bench?endpoint=\(server.endpoint)&region=us-east-1")
            let credentials = CredentialSource(
                StoreCredentials(
                    accessKey: LocalObjectStore.accessKey, secretKey: LocalObjectStore.secretKey))
            try await ObjectStore(location, credentials: credentials).makeBucket()
            for (name, value) in LocalObjectStore.environment { setenv(name, value, 1) }
            let store = Store(
                location: location, environment: LocalObjectStore.environment, credentials: credentials,
                server: server)
            let result: Result<T, any Error>
            do {
                result = .success(try await body(store))
            } catch {
                result = .failure(error)
            }
            _ = await Task { try await server.stop() }.result
            return try result.get()
        }
    }
}
