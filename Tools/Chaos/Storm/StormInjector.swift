import ChildProcess
import FoundationEssentials
import Glibc
import LocalCluster
import Postgres
import Proxying

/// Does to a storm's installation what its plan says.
struct StormInjector: Sendable {
    let site: StormSite
    let fleet: StormFleet
    let ledger: StormLedger
    /// How long a fault waits for a victim, such as a worker that is being started.
    let patience: Duration

    /// - Returns: false if no victim was found in time.
    func perform(_ scenario: Scenario) async throws -> Bool {
        let servers = site.servers
        switch scenario.fault {
        case .killWorker: return await send(SIGKILL, to: scenario)
        case .stopWorker: return await send(SIGTERM, to: scenario)
        case .freezeWorker:
            guard let worker = try await victim(of: scenario, among: { fleet.victims }) else { return false }
            worker.send(SIGSTOP)
            await sleep(scenario.length)
            worker.send(SIGCONT)
        case .killRenderer:
            guard let renderer = try await victim(of: scenario, among: { fleet.renderers }) else {
                return false
            }
            kill(renderer, SIGKILL)
        case .terminateBackend:
            guard let backend = try await victim(of: scenario, among: backends) else { return false }
            try await servers.administer("select pg_terminate_backend(\(backend))")
        case .killBackend:
            guard let backend = try await victim(of: scenario, among: backends) else { return false }
            kill(backend, SIGKILL)
        case .stopServer:
            let cluster = servers.primary.cluster
            try await cluster.stop(mode: scenario.choice.isMultiple(of: 2) ? .fast : .immediate)
            await sleep(scenario.length)
            try await cluster.start(profile: .durable)
        case .freezeServer:
            let processes = try await servers.processes()
            processes.freeze()
            await sleep(scenario.length)
            processes.resume()
        case .blackHole, .cutConnections:
            let proxies = servers.workerProxies
            for proxy in proxies { proxy.stall() }
            await sleep(scenario.length)
            for proxy in proxies {
                if scenario.fault == .cutConnections { proxy.cut() }
                proxy.resume()
            }
        case .fullStore, .readOnlyStore, .unmountedStore, .swappedStore, .stopStore, .freezeStore,
            .slowDownStore, .cutStore, .lyingStore, .delayStore:
            try await site.store.take(scenario.fault)
            await sleep(scenario.length)
            try await site.store.giveBack(scenario.fault)
        case .fewDescriptors:
            guard let worker = try await victim(of: scenario, among: { fleet.victims }) else { return false }
            return await withoutDescriptors(worker, for: scenario.length)
        case .migrate:
            // A server that recovers from the fault before cannot be migrated.
            guard try await victim(of: scenario, among: backends) != nil else { return false }
            try await site.command(["migrate"]).runSuccessfully()
        case .failover: try await ledger.note(.promoted(position: try await servers.failOver()))
        }
        return true
    }

    /// What belongs to a fault but not to its length, such as making a standby again.
    func repair(_ fault: StormFault) async throws {
        if fault == .failover { try await site.servers.replaceStandby() }
    }

    private func send(_ signal: Int32, to scenario: Scenario) async -> Bool {
        guard let worker = try? await victim(of: scenario, among: { fleet.victims }) else { return false }
        worker.send(signal)
        return true
    }

    private func victim<T>(of scenario: Scenario, among candidates: () async throws -> [T]) async throws -> T?
    {
        let deadline = ContinuousClock.now + patience
        while true {
            // A server that recovers has no backends to choose from.
            if let found = scenario.victim(among: (try? await candidates()) ?? []) { return found }
            guard .now < deadline, !Task.isCancelled else { return nil }
            await sleep(.milliseconds(20))
        }
    }

    /// The server's processes for workers.
    private func backends() async throws -> [Int32] {
        let rows = try await site.servers.administer(
            """
            select pid from pg_stat_activity where application_name in ('darkroom-worker', 'darkroom-listener') order by pid
            """)
        return try rows.map { Int32(try $0.decode("pid", as: Int.self)) }
    }

    /// Lowers the limit of a running worker to the first number that a new descriptor would get.
    private func withoutDescriptors(_ worker: TrialWorker, for length: Duration) async -> Bool {
        let process = "/proc/\(worker.process)"
        let limits = FileManager.default.contents(atPath: "\(process)/limits") ?? Data()
        let line = String(decoding: limits, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("Max open files")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(process)/fd")) ?? []
        let open = Set(names.compactMap { Int($0) })
        guard let prlimit = ChildProgram.find("prlimit"),
            let next = (3...100_000).first(where: { !open.contains($0) }),
            let before = line?.split(separator: " ").dropFirst(3).first
        else { return false }
        func limit(_ soft: String) async -> Bool {
            let command = ChildProgram(prlimit, ["--pid", "\(worker.process)", "--nofile=\(soft):"])
            return (try? await command.runSuccessfully()) != nil
        }
        guard await limit("\(next)") else { return false }
        await sleep(length)
        return await limit(String(before))
    }

    /// Not cut short when the storm is interrupted: what was taken must be given back.
    private func sleep(_ length: Duration) async {
        await Task { try? await Task.sleep(for: length) }.value
    }
}
