package import Gazetteer
package import Telemetry
import Threads

/// Switches to a newly installed index while jobs go on, and reports that in the log, the metrics and the database.
package struct GazetteerWatch: Sendable {
    private let handle: GazetteerHandle
    private let metrics: WorkerMetrics
    private let log: Log
    private let note: @Sendable (_ gazetteer: Gazetteer, _ isFirst: Bool) async throws -> Void

    /// Logs which index is in use.
    ///
    /// - Parameter note: tells others of the index in use. If it fails, the next check calls it again.
    package init(
        _ handle: GazetteerHandle, metrics: WorkerMetrics, log: Log,
        note: @escaping @Sendable (_ gazetteer: Gazetteer, _ isFirst: Bool) async throws -> Void = { _, _ in }
    ) {
        self.handle = handle
        self.note = note
        self.metrics = metrics
        self.log = log
        log.info("gazetteer.opened", Self.fields(handle.current) + ["path": .init(handle.path)])
        Self.show(handle.current, metrics)
    }

    /// Checks the file at intervals until the task is cancelled.
    ///
    /// A check costs one `stat`. Only a new file is read, on a separate thread, so jobs never wait for it.
    /// - Parameter interval: time between two checks.
    package func run<C: Clock<Duration>>(every interval: Duration = .seconds(2), clock: C = .continuous) async
    {
        var noted: String?
        while true {
            let current = handle.current
            if noted != current.checksum {
                do {
                    try await note(current, noted == nil)
                    noted = current.checksum
                } catch {
                    log.warning("gazetteer.not_noted", ["error": .init("\(error)")])
                }
            }
            do { try await clock.sleep(for: interval) } catch { return }
            // If the system cannot start a thread, the next check finds the file.
            guard let finding = try? await onThread({ [handle] in handle.look() }) else { continue }
            tell(finding)
        }
    }

    private func tell(_ finding: GazetteerHandle.Finding) {
        switch finding {
        case .unchanged: break
        case .replaced(let gazetteer):
            metrics.gazetteerReplacements["used"].increment()
            Self.show(gazetteer, metrics)
            log.info("gazetteer.replaced", Self.fields(gazetteer) + ["path": .init(handle.path)])
        case .refused(let error):
            metrics.gazetteerReplacements["refused"].increment()
            log.error(
                "gazetteer.refused",
                ["cause": .init(error), "path": .init(handle.path), "in_use": .init(handle.current.checksum)])
        }
    }

    private static func show(_ gazetteer: Gazetteer, _ metrics: WorkerMetrics) {
        metrics.gazetteer.replaceAll(with: [MetricSample(gazetteer.checksum, gazetteer.date, value: 1)])
    }

    private static func fields(_ gazetteer: Gazetteer) -> Log.Fields {
        [
            "checksum": .init(gazetteer.checksum), "date": .init(gazetteer.date),
            "places": .init(gazetteer.info.placeCount),
        ]
    }
}
