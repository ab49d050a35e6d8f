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
            if case .accepted(let report, let images) = verdict {
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
        let sides = 1...request.limits.side
        guard sides ~= report.width, sides ~= report.height, 1...8 ~= report.orientation,
            report.frames >= 1, 0...65_536 ~= report.exifFields, report.stripped.count <= 64,
            report.stripped.allSatisfy({ $0.utf8.count <= 32 }),
            (report.colourDescription?.utf8.count ?? 0) <= 256,
            (report.cameraMake?.unicodeScalars.count ?? 0) <= 64,
            (report.cameraModel?.unicodeScalars.count ?? 0) <= 64,
            report.credit?.isClean ?? true,
            5...ThumbHash.maximumBytes ~= report.thumbHash?.count ?? 5
        else { throw .violation("The report has impossible values.") }
        if case .valid(let fix, _) = report.gps {
            guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 180 else {
                throw .violation("The report has an impossible position.")
            }
        }
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
