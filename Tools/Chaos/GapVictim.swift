import Glibc
import Proxying

/// What stalls for the length of a gap.
package enum GapVictim: String, CaseIterable, Sendable {
    /// The process of a worker.
    case worker
    /// Every process of the PostgreSQL server.
    case server
    /// The connections between a worker and the server: nothing passes, then all that was held.
    case connection
    /// The same, but then they are cut.
    case cut
}

/// What a trial does to its victim.
struct Fault {
    let victim: GapVictim
    let server: TrialServer
    let worker: TrialWorker
    let proxy: StallingProxy?

    func begin() {
        switch victim {
        case .worker: worker.send(SIGSTOP)
        case .server: server.stop()
        case .connection, .cut: proxy?.stall()
        }
    }

    func end() {
        switch victim {
        case .worker: worker.send(SIGCONT)
        case .server: server.resume()
        case .connection: proxy?.resume()
        case .cut:
            proxy?.cut()
            proxy?.resume()
        }
    }
}
