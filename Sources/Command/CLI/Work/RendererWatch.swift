import CommandSupport
import Imaging
import Telemetry

/// Says in the log what the sandbox lacks, and ends a worker that cannot do its work without renderers.
struct RendererWatch: Sendable {
    let renderers: RendererPool
    let log: Log
    /// Whether a worker without a renderer is to end, because a person waits for its work.
    let isNeeded: Bool

    /// Tries in a row to start a renderer, after which such a worker ends.
    private static let tries = 5

    /// Returns when the pool is shut down or the task is cancelled; or with an error, if the worker must end.
    func run() async -> CommandError? {
        var failures = 0
        for await change in renderers.changes {
            switch change {
            case .available(let sandbox):
                failures = 0
                for gap in sandbox.gaps {
                    let fields: Log.Fields = [
                        "layer": .init(gap.layer.rawValue), "cause": .init(gap.cause),
                    ]
                    if gap.layer.isRequired {
                        log.warning("sandbox.incomplete", fields)
                    } else {
                        log.info("sandbox.reduced", fields)
                    }
                }
            case .unavailable(let error):
                // No kernel gets another layer while it runs, so waiting would not help.
                if error.code == .unconfined { return CommandError("\(error)") }
                failures += 1
                if isNeeded, failures >= Self.tries { return CommandError("\(error)") }
            }
        }
        return nil
    }
}
