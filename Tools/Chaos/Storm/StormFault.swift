/// What a storm does to an installation.
package enum StormFault: String, CaseIterable, Sendable {
    case killWorker = "kill-worker"
    case stopWorker = "stop-worker"
    case freezeWorker = "freeze-worker"
    case killRenderer = "kill-renderer"
    case terminateBackend = "terminate-backend"
    case killBackend = "kill-backend"
    case stopServer = "stop-server"
    case freezeServer = "freeze-server"
    case blackHole = "black-hole"
    case cutConnections = "cut-connections"
    case fullStore = "full-store"
    case readOnlyStore = "read-only-store"
    case unmountedStore = "unmounted-store"
    case swappedStore = "swapped-store"
    case stopStore = "stop-store"
    case freezeStore = "freeze-store"
    case slowDownStore = "slow-down-store"
    case cutStore = "cut-store"
    case lyingStore = "lying-store"
    case delayStore = "delay-store"
    case fewDescriptors = "few-descriptors"
    case migrate
    case failover

    struct Traits: Sendable {
        let what: String
        /// How long it lasts; a fault without a length is over at once.
        var length: ClosedRange<Duration> = .zero ... .zero
        /// Whether a file system must be mounted for it, which needs root.
        var needsMount = false
        /// The kind of media store that it can come to; nil for each.
        var store: StormStoreKind?
    }

    var traits: Traits {
        switch self {
        case .killWorker: Traits(what: "SIGKILL to a worker")
        case .stopWorker: Traits(what: "SIGTERM to a worker")
        case .freezeWorker: Traits(what: "SIGSTOP to a worker", length: .zero ... .seconds(30))
        case .killRenderer: Traits(what: "SIGKILL to a process below a worker")
        case .terminateBackend: Traits(what: "pg_terminate_backend for a worker's connection")
        case .killBackend: Traits(what: "SIGKILL to a backend: the server recovers from a crash")
        case .stopServer: Traits(what: "the server is stopped", length: .zero ... .seconds(30))
        case .freezeServer: Traits(what: "SIGSTOP to the whole server", length: .zero ... .seconds(30))
        case .blackHole:
            Traits(what: "nothing passes between workers and server", length: .zero ... .seconds(30))
        case .cutConnections:
            Traits(what: "the same, then all connections are cut", length: .zero ... .seconds(30))
        case .fullStore:
            Traits(
                what: "the store's disk is full", length: .seconds(1) ... .seconds(20), needsMount: true,
                store: .directory)
        case .readOnlyStore:
            Traits(
                what: "the store's disk is read-only", length: .seconds(1) ... .seconds(20), needsMount: true,
                store: .directory)
        case .unmountedStore:
            Traits(
                what: "the store's disk is not mounted", length: .seconds(1) ... .seconds(20),
                needsMount: true, store: .directory)
        case .swappedStore:
            Traits(
                what: "another directory is at the store's path", length: .seconds(1) ... .seconds(20),
                store: .directory)
        case .stopStore:
            Traits(
                what: "the object store's processes end", length: .seconds(1) ... .seconds(20), store: .bucket
            )
        case .freezeStore:
            Traits(
                what: "SIGSTOP to the object store's processes", length: .zero ... .seconds(30),
                store: .bucket
            )
        case .slowDownStore:
            Traits(
                what: "most requests to the object store get 503 SlowDown or 500",
                length: .seconds(1) ... .seconds(20), store: .bucket)
        case .cutStore:
            Traits(
                what: "most requests to the object store, or their replies, are cut",
                length: .seconds(1) ... .seconds(20), store: .bucket)
        case .lyingStore:
            Traits(
                what: "most replies of the object store tell a wrong length, or none",
                length: .seconds(1) ... .seconds(20), store: .bucket)
        case .delayStore:
            Traits(
                what: "most requests to the object store wait for up to 5 seconds",
                length: .seconds(1) ... .seconds(20), store: .bucket)
        case .fewDescriptors:
            Traits(
                what: "a worker may open no more files", length: .seconds(1) ... .seconds(15))
        case .migrate: Traits(what: "'darkroom migrate' runs again")
        case .failover: Traits(what: "SIGKILL to the whole primary server, the standby is promoted")
        }
    }

    /// What the shortest sentence about it says.
    package var what: String { traits.what }

    /// The faults of a storm of kills, in the shares in which they come: as many of workers, renderers and backends. One in
    /// fifty kills of a backend is a SIGKILL, which makes the whole server recover.
    static let kills: [StormFault] =
        Array(repeating: .killWorker, count: 50) + Array(repeating: .killRenderer, count: 50)
        + Array(repeating: .terminateBackend, count: 49) + [.killBackend]
}
