import MediaStore
import Telemetry

/// Removes uploads that nobody has finished in time, at the start and then every few minutes.
final class UploadSweeper: Sendable {
    private let task: Task<Void, Never>

    init(_ directory: UploadDirectory, _ log: Log) {
        let pause = Duration.seconds(max(1, min(300, directory.lifetime / 2)))
        task = Task {
            repeat {
                do {
                    let removed = try await directory.run { () throws(MediaError) in try directory.sweep() }
                    if removed > 0 { log.info("uploads.swept", ["removed": .init(removed)]) }
                } catch {
                    log.warning("uploads.sweep_failed", ["error": .init("\(error)")])
                }
            } while (try? await Task.sleep(for: pause)) != nil
        }
    }

    deinit { task.cancel() }

    func stop() { task.cancel() }
}
