import Glibc
import Synchronization
import Threads

extension RendererPool {
    /// What a slot has.
    struct Slot {
        var zygote: RendererProcess?
        var renderer: Renderer?
        /// The next renderer, which the zygote forks while this one has its last photo.
        var next: RendererLink?
    }

    struct Renderer {
        let process: RendererProcess
        var photos = 0
        var firstResidentBytes: Int?
    }

    /// The life of a slot: it keeps a renderer, and takes a photo only while it has one, so that a renderer that cannot
    /// start costs no photo its time.
    func serve() {
        var slot = Slot()
        var pause = Self.shortestPause
        while true {
            guard let renderer = slot.renderer else {
                do throws(RendererError) {
                    try startRenderer(&slot)
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
                retire(&slot)
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
            // Unless it was cancelled while it waited.
            let isRunning = job.run(on: renderer.process)
            if isRunning, renderer.photos + 1 >= retirement.photos {
                slot.next = try? slot.zygote?.order(photos: retirement.photos)
            }
            let result = isRunning ? attempt(job, with: renderer) : nil
            state.withLock { $0.statistics.inFlight -= 1 }
            guard let result else { continue }
            job.finish(result)
            settle(&slot, after: result)
        }
        retire(&slot)
        endZygote(&slot)
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

    /// Forks a renderer, of a new zygote if the slot has none or one that has died.
    private func startRenderer(_ slot: inout Slot) throws(RendererError) {
        if let zygote = slot.zygote {
            slot.renderer = try? renderer(of: zygote, slot.next)
            slot.next = nil
            if slot.renderer != nil { return }
            endZygote(&slot)
        }
        let zygote = try RendererProcess.spawn(executable)
        slot.zygote = zygote
        state.withLock { $0.statistics.zygotes.append(zygote.identifier) }
        do { slot.renderer = try renderer(of: zygote, nil) } catch {
            endZygote(&slot)
            throw error
        }
    }

    private func endZygote(_ slot: inout Slot) {
        guard let zygote = slot.zygote else { return }
        zygote.kill()
        zygote.terminate()
        zygote.reapUnknown()
        slot.zygote = nil
        slot.next?.closeOurs()
        slot.next = nil
        state.withLock { $0.statistics.zygotes.removeAll { $0 == zygote.identifier } }
    }

    private func renderer(of zygote: RendererProcess, _ ordered: RendererLink?) throws(RendererError)
        -> Renderer
    {
        let isClosed = state.withLock { state in
            state.starting.append(zygote)
            return state.isClosed
        }
        if isClosed { zygote.kill() }
        defer { state.withLock { $0.starting.removeAll { $0 === zygote } } }
        let link = if let ordered { ordered } else { try zygote.order(photos: retirement.photos) }
        let process = try zygote.await(link, within: startSeconds, requiresSandbox: requiresSandbox)
        state.withLock { state in
            state.statistics.started += 1
            state.statistics.processes.append(process.identifier)
            state.statistics.sandbox = process.sandbox
            let isNews = state.statistics.started == 1 || state.statistics.fault != nil
            state.statistics.fault = nil
            if isNews { news.yield(.available(process.sandbox)) }
        }
        return Renderer(process: process)
    }

    /// Notes that a renderer did not start. If there is no other, the waiting photos get the error. Returns whether the pool
    /// is closed.
    private func note(_ error: RendererError) -> Bool {
        let (abandoned, isClosed) = state.withLock { state -> ([RenderJob], Bool) in
            guard !state.isClosed, state.statistics.processes.isEmpty else { return ([], state.isClosed) }
            news.yield(.unavailable(error))
            state.statistics.fault = error
            defer { state.waiting = [] }
            return (state.waiting, false)
        }
        for job in abandoned { job.finish(.failure(error)) }
        return isClosed
    }

    /// Ends the slot's renderer.
    private func retire(_ slot: inout Slot) {
        guard let process = slot.renderer?.process else { return }
        process.kill()
        let ending = process.terminate()
        slot.renderer = nil
        state.withLock { state in
            state.statistics.processes.removeAll { $0 == process.identifier }
            state.statistics.peakBytes = max(state.statistics.peakBytes, ending.peakBytes)
        }
    }

    /// Renders a photo.
    private func attempt(_ job: RenderJob, with renderer: Renderer) -> Result<RenderVerdict, any Error> {
        do {
            if renderer.photos > 0 { renderer.process.resume() }
            let reply = try renderer.process.exchange(
                job.request, descriptors: [job.input] + job.outputs.map(\.descriptor))
            let verdict = try job.check(reply)
            if case .verdict(_, _, let times) = reply { state.withLock { $0.statistics.cpu += times } }
            return .success(verdict)
        } catch {
            return .failure(job.isCancelled ? CancellationError() : error)
        }
    }

    /// Ends the slot's renderer after its last photo, and after any error: a new one is safer.
    private func settle(_ slot: inout Slot, after result: Result<RenderVerdict, any Error>) {
        guard var renderer = slot.renderer, case .success = result else { return retire(&slot) }
        renderer.photos += 1
        guard renderer.photos < retirement.photos else { return retire(&slot) }
        renderer.process.stop()
        let resident = renderer.process.residentBytes ?? 0
        let first = renderer.firstResidentBytes ?? resident
        renderer.firstResidentBytes = first
        slot.renderer = renderer
        if resident - first > retirement.growthBytes { retire(&slot) }
    }
}
