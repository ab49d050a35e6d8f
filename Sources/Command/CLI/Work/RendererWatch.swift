import CommandSupport
import Imaging
import Telemetry

/// Says in the log when there is no renderer, and when there is one again.
struct RendererWatch: Sendable {
    let renderers: RendererPool
    let log: Log
    /// Whether a worker without a renderer is to end, because a person waits for its work.
    let isNeeded: Bool

    /// Returns when the pool is shut down or the task is cancelled; or with an error, if the worker must end.
    func run() async -> CommandError? {
        for await change in renderers.changes {
            switch change {
            case .available(let sandbox):
                log.info("renderers.available")
                for gap in sandbox.gaps {
                    log.warning(
                        "sandbox.incomplete",
                        ["layer": .init(gap.layer.rawValue), "cause": .init(gap.cause)])
                }
            case .unavailable(let error):
                // No kernel gets another layer while it runs, so waiting would not help.
                if isNeeded || error.code == .unconfined { return CommandError("\(error)") }
                log.error("renderers.unavailable", ["error": .init("\(error)")])
            }
        }
        return nil
    }
}
