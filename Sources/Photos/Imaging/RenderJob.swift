import Glibc
import Synchronization

/// One photo on its way through the pool.
final class RenderJob: Sendable {
    typealias Continuation = CheckedContinuation<RenderVerdict, any Error>

    private enum State {
        case new
        case waiting(Continuation)
        case running(Continuation, RendererProcess)
        /// Cancelled while running: the slot's thread finishes it once the renderer is dead.
        case dying(Continuation)
        case finished
    }

    let request: RenderRequest
    let input: CInt
    let outputs: [any RenderOutput]
    private let state = Mutex(State.new)
    private let cancelled = Atomic(false)

    init(request: RenderRequest, input: CInt, outputs: [any RenderOutput]) {
        self.request = request
        self.input = input
        self.outputs = outputs
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Takes the continuation. If the task is already cancelled, resumes it and returns false.
    func enqueue(_ continuation: Continuation) -> Bool {
        let taken = state.withLock {
            guard !isCancelled else {
                $0 = .finished
                return false
            }
            $0 = .waiting(continuation)
            return true
        }
        if !taken { continuation.resume(throwing: CancellationError()) }
        return taken
    }

    /// Marks the job as running. Returns false if it was cancelled while it waited.
    func run(on process: RendererProcess) -> Bool {
        state.withLock {
            guard case .waiting(let continuation) = $0 else { return false }
            $0 = .running(continuation, process)
            return true
        }
    }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
        let (continuation, process) = state.withLock { state -> (Continuation?, RendererProcess?) in
            switch state {
            case .waiting(let continuation):
                state = .finished
                return (continuation, nil)
            case .running(let continuation, let process):
                state = .dying(continuation)
                return (nil, process)
            case .new, .dying, .finished:
                return (nil, nil)
            }
        }
        process?.kill()
        continuation?.resume(throwing: CancellationError())
    }

    func finish(_ result: Result<RenderVerdict, any Error>) {
        let continuation = state.withLock { state -> Continuation? in
            defer { state = .finished }
            switch state {
            case .waiting(let continuation), .running(let continuation, _), .dying(let continuation):
                return continuation
            case .new, .finished: return nil
            }
        }
        continuation?.resume(with: result)
    }

    /// Trusts the reply only as far as the request and the written files confirm it.
    func check(_ reply: RenderReply) throws -> RenderVerdict {
        switch reply {
        case .ready:
            throw RendererError.violation("It sent a second greeting instead of a verdict.")
        case .failure(let id, let code, let message):
            guard id == request.id else { throw RendererError.violation("It replied to another request.") }
            switch code {
            case .inputUnreadable, .outputFailed, .outputTooLarge, .faulted:
                throw RendererError(code, message)
            default: throw RendererError.violation("It reported an impossible failure.")
            }
        case .verdict(let id, let verdict, _):
            guard id == request.id else { throw RendererError.violation("It replied to another request.") }
            switch verdict {
            case .rejected(let rejection, let report):
                guard rejection.isClean else {
                    throw RendererError.violation("The texts of the rejection are impossible.")
                }
                if let report { try check(report) }
            case .accepted(let report, let images):
                try check(report, images)
                for (index, image) in images.enumerated() {
                    let credit = request.recipe.keepsCredit ? report.credit : nil
                    let encoding = request.recipe.renditions[index].encoding
                    try outputs[index].look(atMost: request.limits.outputBytes) { bytes in
                        try image.check(bytes, as: encoding, credit: credit)
                    }
                }
            }
            return verdict
        }
    }

    private func check(_ report: PhotoReport, _ images: [RenderedImage]) throws(RendererError) {
        try check(report)
        guard images.count == request.recipe.renditions.count else {
            throw .violation("It reported \(images.count) renditions.")
        }
        for (index, image) in images.enumerated() {
            let spec = request.recipe.renditions[index]
            let size = spec.size(width: report.width, height: report.height)
            guard image.name == spec.name, image.width == size.width, image.height == size.height else {
                throw .violation("The size of the rendition \(spec.name) does not match the recipe.")
            }
            try checkSize(of: outputs[index].descriptor, image)
        }
    }

    private func check(_ report: PhotoReport) throws(RendererError) {
        guard report.isPossible(side: request.limits.side) else {
            throw .violation("The report has impossible values.")
        }
    }

    private func checkSize(of output: CInt, _ image: RenderedImage) throws(RendererError) {
        var status = stat()
        guard fstat(output, &status) == 0, status.st_size == image.bytes, image.bytes > 0 else {
            throw .violation("The rendition \(image.name) does not have the reported number of bytes.")
        }
        guard image.bytes <= request.limits.outputBytes else {
            throw RendererError(.outputTooLarge, "The rendition \(image.name) has \(image.bytes) bytes.")
        }
    }
}
