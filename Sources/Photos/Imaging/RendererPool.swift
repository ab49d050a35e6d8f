import CLinux
import Glibc
import Synchronization
import Threads

/// A fixed number of renderer processes that each render one photo at a time. Each is forked from a warm zygote, ahead of
/// its photo, and usually ends with it.
///
/// A renderer that dies, exceeds its deadline or sends an invalid reply is replaced; only the photo it
/// was rendering is affected. Each slot has its own thread for the blocking calls. When all slots are busy,
/// photos wait in order of arrival. While no renderer can be started, photos get the reason at once, and every slot
/// tries again.
package final class RendererPool: Sendable {
    /// When a healthy renderer is replaced.
    package struct Retirement: Sendable {
        /// Number of photos after which a renderer is replaced.
        package var photos: Int
        /// Bytes that its resident memory may grow by after its first photo.
        package var growthBytes = 256 << 20

        package init(_ isolation: Isolation = .photo) { photos = isolation.photos }
    }

    /// How many photos a renderer gets to see, if it is taken over by one of them.
    package enum Isolation: String, CaseIterable, Sendable {
        /// Each photo has a renderer of its own.
        case photo
        /// A renderer is used again, which is quicker.
        case pool

        var photos: Int { self == .photo ? 1 : 500 }
    }

    package struct Statistics: Sendable, Equatable {
        /// Renderers started since the pool was created.
        package var started = 0
        /// Photos being rendered now.
        package var inFlight = 0
        /// Process identifiers of the live renderers, in no particular order.
        package var processes: [Int32] = []
        /// Those of the zygotes that fork them.
        package var zygotes: [Int32] = []
        /// The peak of the largest renderer that has ended.
        package var peakBytes = 0
        /// The sandbox of the renderer that was started last; nil before the first.
        package var sandbox: Sandbox?
        /// Why there is no renderer; nil while there is one, and before the first start has ended.
        package var fault: RendererError?
        /// CPU time of all photos so far, as reported by the renderers.
        package var cpu = StageTimes()
    }

    package enum Change: Sendable {
        /// The first renderer is ready, or the first one after there was none.
        case available(Sandbox)
        /// There is no renderer, and one more could not be started.
        case unavailable(RendererError)
    }

    struct State {
        var waiting: [RenderJob] = []
        /// Started, but not ready yet.
        var starting: [RendererProcess] = []
        var isClosed = false
        var statistics = Statistics()
        var liveSlots: Int
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let executable: String
    private let limits: RenderLimits
    let retirement: Retirement
    let startSeconds: Double
    let requiresSandbox: Bool
    let state: Mutex<State>
    /// Signalled once for each photo, and for each slot at the end.
    let wakeups = Semaphore()
    /// Signalled for each slot at the end, for those without a renderer.
    let closing = Semaphore()
    /// For one reader.
    package let changes: AsyncStream<Change>
    let news: AsyncStream<Change>.Continuation
    private let nextIdentifier = Atomic<UInt64>(1)

    /// Starts one thread per slot. Each thread starts its renderer at once.
    ///
    /// - Parameters:
    ///   - executable: path of `darkroom-renderer`; see `locateExecutable()`.
    ///   - size: number of renderers, at least 1. One per core is best, because each uses one core.
    ///   - startSeconds: how long a renderer may take to become ready.
    ///   - requiresSandbox: whether to refuse a renderer that lacks a layer of its ``Sandbox``.
    package init(
        executable: String, size: Int, limits: RenderLimits = RenderLimits(),
        retirement: Retirement = Retirement(), startSeconds: Double = 30, requiresSandbox: Bool = false
    ) {
        precondition(size > 0)
        self.executable = executable
        self.limits = limits
        self.retirement = retirement
        self.startSeconds = startSeconds
        self.requiresSandbox = requiresSandbox
        state = Mutex(State(liveSlots: size))
        (changes, news) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
        for _ in 0..<size {
            do { try startThread(named: "renderer-slot") { [self] in serve() } } catch {
                preconditionFailure("\(error) for a renderer")
            }
        }
    }

    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// Renders one photo.
    ///
    /// The descriptors are not closed, and not used after this returns. Before it returns, it reads every output once
    /// and checks its structure; a renderer that wrote something else is replaced. Cancelling the task kills the
    /// renderer.
    ///
    /// - Parameters:
    ///   - input: a regular file open for reading; its file offset is neither used nor changed.
    ///   - outputs: one for each rendition of the recipe, or none to only inspect the photo.
    ///   - isFirst: whether it goes before all photos that wait.
    /// - Throws: `RendererError`, an error of an output, or `CancellationError`.
    package func render(
        input: CInt, into outputs: [any RenderOutput], recipe: Recipe, isFirst: Bool = false
    ) async throws -> RenderVerdict {
        guard outputs.isEmpty || outputs.count == recipe.renditions.count else {
            throw RendererError(
                .protocolViolation,
                "\(outputs.count) outputs were given for \(recipe.renditions.count) renditions.")
        }
        var recipe = recipe
        if outputs.isEmpty { recipe.renditions = [] }
        let request = RenderRequest(
            id: nextIdentifier.add(1, ordering: .relaxed).oldValue, recipe: recipe, limits: limits)
        let job = RenderJob(request: request, input: input, outputs: outputs)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard job.enqueue(continuation) else { return }
                let refusal = state.withLock { state -> RendererError? in
                    if state.isClosed { return Self.closedError }
                    if state.statistics.fault == nil {
                        state.waiting.insert(job, at: isFirst ? 0 : state.waiting.count)
                    }
                    return state.statistics.fault
                }
                if let refusal { job.finish(.failure(refusal)) } else { wakeups.signal() }
            }
        } onCancel: {
            job.cancel()
        }
    }

    /// Renders one photo into files that are only checked.
    ///
    /// - Parameter outputs: empty files open for reading and writing.
    package func render(input: CInt, outputs: [CInt], recipe: Recipe) async throws -> RenderVerdict {
        try await render(input: input, into: outputs.map(ScratchOutput.init), recipe: recipe)
    }

    private static let closedError = RendererError(.closed, "The renderer pool is shut down.")

    /// Refuses new photos, fails the waiting ones, lets running ones finish, and ends all renderers.
    package func shutdown() async {
        let abandoned = state.withLock { state in
            state.isClosed = true
            for process in state.starting { process.kill() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in abandoned { job.finish(.failure(Self.closedError)) }
        let slots = state.withLock { $0.liveSlots }
        for _ in 0..<slots {
            wakeups.signal()
            closing.signal()
        }
        await withCheckedContinuation { continuation in
            let done = state.withLock {
                guard $0.liveSlots > 0 else { return true }
                $0.closers.append(continuation)
                return false
            }
            if done { continuation.resume() }
        }
        news.finish()
    }
}
