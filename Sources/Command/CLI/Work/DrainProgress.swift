import Arguments
import JobStore
import Synchronization

/// A line that shows the progress of a drain on a terminal.
///
/// Counts the remaining jobs twice a second.
final class DrainProgress: Sendable {
    private let store: JobStore
    private let queues: [String]
    private let line = ProgressLine(label: "Developing")
    /// Jobs left at the start; those that are enqueued meanwhile raise the total.
    private let total: Mutex<Int>

    /// Nil if there is no terminal, or nothing is left to do.
    init?(of store: JobStore?, queues: [String]) async {
        guard let store, let left = try? await store.unfinished(in: queues), left > 0 else { return nil }
        self.store = store
        self.queues = queues
        total = Mutex(left)
    }

    func show() async {
        while !Task.isCancelled {
            await update()
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    func finish() async {
        await update()
        line.finish("jobs")
    }

    private func update() async {
        guard let left = try? await store.unfinished(in: queues) else { return }
        let total = total.withLock { total in
            total = max(total, left)
            return total
        }
        line.update(done: total - left, total: total, note: "")
    }
}
