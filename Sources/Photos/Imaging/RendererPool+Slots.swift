import Glibc
import Synchronization
import Threads

extension RendererPool {
    /// A slot's renderer.
    private struct Renderer {
        let process: RendererProcess
        var photos = 0
        var firstResidentBytes: Int?
    }

    /// The life of a slot: it keeps a renderer, and takes a photo only while it has one, so that a renderer that cannot
    /// start costs no photo its time.
    func serve() {
        var slot: Renderer?
        var pause = Self.shortestPause
        while true {
            guard let renderer = slot else {
                do throws(RendererError) {
                    slot = Renderer(process: try startRenderer())
                    pause = Self.shortestPause
                } catch {
                    if note(error) { break }
                    closing.wait(milliseconds: pause)
                    pause = min(2 * pause, Self.longestPause)
                }
                continue
            }
            wakeups.wait()
            if renderer.process.isGone {
                // The photo is for the first slot that has a renderer.
                wakeups.signal()
                retire(renderer.process)
                slot = nil
                continue
            }
            let (job, isClosed) = state.withLock { state -> (RenderJob?, Bool) in
                let job = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                if job != nil { state.statistics.inFlight += 1 }
                return (job, state.isClosed)
            }
            guard let job else {
                if isClosed { break }
                continue
            }
            let result = attempt(job, with: renderer, of: &slot)
            state.withLock { $0.statistics.inFlight -= 1 }
            job.finish(result)
        }
        if let process = slot?.process { retire(process) }
        let closers = state.withLock { state in
            state.liveSlots -= 1
            guard state.liveSlots == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// Milliseconds between two tries to start a renderer.
    private static var shortestPause: Int32 { 100 }
    private static var longestPause: Int32 { 2000 }

    private func startRenderer() throws(RendererError) -> RendererProcess {
        let process = try RendererProcess.spawn(executable)
        let isClosed = state.withLock { state in
            state.starting.append(process)
            return state.isClosed
        }
        if isClosed { process.kill() }
        defer { state.withLock { $0.starting.removeAll { $0 === process } } }
        try process.awaitReady(within: startSeconds, requiresSandbox: requiresSandbox)
        state.withLock { state in
            state.statistics.started += 1
            state.statistics.processes.append(process.identifier)
            state.statistics.sandbox = process.sandbox
            let isNews = state.statistics.started == 1 || state.statistics.fault != nil
            state.statistics.fault = nil
            if isNews { news.yield(.available(process.sandbox)) }
        }
        return process
    }

    /// Notes that a renderer did not start. If there is no other, the waiting photos get the error. Returns whether the pool
    /// is closed.
    private func note(_ error: RendererError) -> Bool {
        let (abandoned, isClosed) = state.withLock { state -> ([RenderJob], Bool) in
            guard !state.isClosed, state.statistics.processes.isEmpty else { return ([], state.isClosed) }
            if state.statistics.fault == nil { news.yield(.unavailable(error)) }
            state.statistics.fault = error
            defer { state.waiting = [] }
            return (state.waiting, false)
        }
        for job in abandoned { job.finish(.failure(error)) }
        return isClosed
    }

    private func retire(_ process: RendererProcess) {
        process.kill()
        process.terminate()
        state.withLock { $0.statistics.processes.removeAll { $0 == process.identifier } }
    }

    /// Renders a photo. Leaves the slot without a renderer if this one must be replaced.
    private func attempt(
        _ job: RenderJob, with given: Renderer, of slot: inout Renderer?
    ) -> Result<RenderVerdict, any Error> {
        var renderer = given
        do {
            guard job.run(on: renderer.process) else { return .failure(CancellationError()) }
            let reply = try renderer.process.exchange(
                job.request, descriptors: [job.input] + job.outputs.map(\.descriptor))
            let verdict = try job.check(reply)
            if case .verdict(_, _, let times) = reply { state.withLock { $0.statistics.cpu += times } }
            renderer.photos += 1
            let resident = renderer.process.residentBytes ?? 0
            let first = renderer.firstResidentBytes ?? resident
            renderer.firstResidentBytes = first
            slot = renderer
            if renderer.photos >= retirement.photos || resident - first > retirement.growthBytes {
                retire(renderer.process)
                slot = nil
            }
            return .success(verdict)
        } catch {
            // After any error, a new process is safer than this one.
            retire(renderer.process)
            slot = nil
            return .failure(job.isCancelled ? CancellationError() : error)
        }
    }
}
