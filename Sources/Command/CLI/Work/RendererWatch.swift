import CommandSupport
import Imaging
import Telemetry

/// Says in the log what the sandbox lacks, and ends a worker that cannot do its work without renderers.
struct RendererWatch: Sendable {
    let renderers: RendererPool
    let log: Log
    /// Whether a worker without a renderer is to end, because a person waits for its work.
    let isNeeded: Bool

    /// Time for further tries to start one, before the worker ends.
    private static let patience = Duration.seconds(2)

    /// Returns when the pool is shut down or the task is cancelled; or with an error, if the worker must end.
    func run() async -> CommandError? {
        for await change in renderers.changes {
            switch change {
            case .available(let sandbox):
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
                guard isNeeded else { continue }
                try? await Task.sleep(for: Self.patience)
                if let lasting = renderers.statistics.fault, !Task.isCancelled {
                    return CommandError("\(lasting)")
                }
            }
        }
        return nil
    }
}
