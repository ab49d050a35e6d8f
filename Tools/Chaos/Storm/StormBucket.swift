import Digests
import FoundationEssentials
import Glibc
import LocalObjectStore
import ObjectStorage
import Proxying
import Synchronization

/// The media store of a storm in a bucket: a real object store, behind a proxy that damages what passes.
final class StormBucket: Sendable {
    /// What comes to requests while a fault lasts.
    private final class Weather: Sendable {
        private let state: Mutex<(fault: StormFault?, random: SeededGenerator)>

        init(seed: UInt64) { state = Mutex((nil, SeededGenerator(seed: seed, stream: 2))) }

        func set(_ fault: StormFault?) { state.withLock { $0.fault = fault } }

        /// A third of the requests pass: else none would ever get as far as the second of its kind.
        func next() -> FaultProxy.Fault {
            state.withLock { state in
                guard let fault = state.fault, state.random.below(3) > 0 else { return .pass }
                let bytes = state.random.below(20_000)
                switch (fault, state.random.below(3)) {
                case (.slowDownStore, 0):
                    return .reply("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                case (.slowDownStore, _): return .reply(Self.slowDown)
                case (.cutStore, 0): return .cutRequest(after: bytes)
                case (.cutStore, 1): return .cutReply(after: bytes)
                case (.cutStore, _): return .loseReply
                case (.lyingStore, 0): return .misstateLength(by: bytes)
                case (.lyingStore, 1): return .misstateLength(by: -bytes)
                case (.lyingStore, _): return .omitLength
                case (.delayStore, _): return .delay(milliseconds: bytes / 4)
                default: return .pass
                }
            }
        }

        private static let slowDown: String = {
            let body =
                "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Slow down</Message></Error>"
            return
                "HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: \(body.utf8.count)\r\n"
                + "Connection: close\r\n\r\n\(body)"
        }()
    }

    private let server: LocalObjectStore
    private let proxy: FaultProxy
    private let weather: Weather
    /// Straight to the store, for the storm itself.
    private let objects: ObjectStore
    /// Through the proxy.
    let media: String

    static let environment = LocalObjectStore.environment

    static func start(checkout: String, seed: UInt64) async throws -> StormBucket {
        let server = try await LocalObjectStore.start(checkout: checkout)
        do {
            return try await StormBucket(server, seed: seed)
        } catch {
            try await server.stop()
            throw error
        }
    }

    private init(_ server: LocalObjectStore, seed: UInt64) async throws {
        self.server = server
        let weather = Weather(seed: seed)
        self.weather = weather
        proxy = try FaultProxy(before: server.endpoint) { _ in weather.next() }
        func location(_ endpoint: String) -> String {
            "s3://storm/media?endpoint=\(endpoint)&region=us-east-1"
        }
        media = location(proxy.endpoint)
        objects = try ObjectStore(
            ObjectStoreLocation(location(server.endpoint)),
            credentials: CredentialSource(
                StoreCredentials(
                    accessKey: LocalObjectStore.accessKey, secretKey: LocalObjectStore.secretKey)))
        try await objects.makeBucket()
        // The uploader is in this process.
        for (name, value) in Self.environment { setenv(name, value, 1) }
    }

    func end() async { _ = await Task { [server] in try await server.stop() }.result }

    func take(_ fault: StormFault) async throws {
        switch fault {
        case .stopStore: try await server.stop()
        case .freezeStore: for process in server.processes { kill(process, SIGSTOP) }
        default: weather.set(fault)
        }
    }

    func giveBack(_ fault: StormFault) async throws {
        switch fault {
        case .stopStore: try await server.restart()
        case .freezeStore: for process in server.processes { kill(process, SIGCONT) }
        default: weather.set(nil)
        }
    }

    /// How many requests came to the proxy.
    var requests: Int { proxy.requests.count }

    func remove(_ key: String) async throws { try await objects.delete(ObjectKey(key)) }

    func put(_ key: String, _ bytes: [UInt8]) async throws {
        try await objects.put(ObjectKey(key), bytes: bytes)
    }

    /// The keys of all objects, in order.
    func keys() async throws -> [String] {
        var keys: [String] = []
        var next: ListPage<ListedObject>.Continuation?
        repeat {
            let page = try await objects.list(after: next)
            keys += page.items.map(\.key.text)
            next = page.next
        } while next != nil
        return keys
    }

    /// The hash of each object, computed from its bytes.
    func hashes(of keys: [String]) async throws -> [String: String] {
        let parts = (0..<8).map { part in keys.indices.filter { $0 % 8 == part }.map { keys[$0] } }
        return try await withThrowingTaskGroup(of: [String: String].self) { group in
            for part in parts {
                group.addTask { [objects] in
                    var hashes: [String: String] = [:]
                    for key in part {
                        hashes[key] =
                            try await objects.read(ObjectKey(key), into: nil, limit: 1 << 30).sha256.hex
                    }
                    return hashes
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
        }
    }
}
