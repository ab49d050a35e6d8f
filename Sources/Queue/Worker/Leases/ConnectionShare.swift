/// How many connections a worker holds, so that its fleet fits the server.
///
/// All workers see the same numbers and so come to the same result, without talking to each other.
struct ConnectionShare: Equatable, Sendable {
    /// For jobs, claims and upkeep.
    let pool: Int
    /// How long a connection of the pool stays open when nobody needs it.
    let idleLimit: Duration
    /// Whether one connection listens for notifications; otherwise the worker polls.
    let listens: Bool
    /// Whether heartbeats keep their connection; otherwise each opens one.
    let keepsHeartbeat: Bool

    /// - Parameters:
    ///   - most: what this worker may hold; at least 1.
    ///   - server: what the server allows for all its clients.
    ///   - fleet: how many workers there are.
    init(most: Int, server: Int, fleet: Int) {
        // A tenth is left to the app and to operators.
        let share = min(most, server * 9 / 10 / max(fleet, 1))
        listens = share >= 3
        keepsHeartbeat = share >= 2
        pool = max(1, share - (listens ? 2 : 1))
        idleLimit = share >= 2 ? .seconds(10) : .zero
    }
}
