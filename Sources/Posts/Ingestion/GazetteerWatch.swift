package import Gazetteer
package import Telemetry
import Threads

/// Takes up the index that is installed over the one in use, while jobs go on, and tells of it.
package struct GazetteerWatch: Sendable {
    private let handle: GazetteerHandle
    private let metrics: WorkerMetrics
    private let log: Log

    /// Tells which index is in use.
    package init(_ handle: GazetteerHandle, metrics: WorkerMetrics, log: Log) {
        self.handle = handle
        self.metrics = metrics
        self.log = log
        log.info("gazetteer.opened", Self.fields(handle.current) + ["path": .init(handle.path)])
        Self.show(handle.current, metrics)
    }

    /// Looks at the file again and again until the task is cancelled.
    ///
    /// A look costs one `stat`; only a new file is read, on a thread of its own. Jobs never wait for it.
    /// - Parameter interval: between two looks.
    package func run<C: Clock<Duration>>(every interval: Duration = .seconds(2), clock: C = .continuous) async
    {
        while true {
            do { try await clock.sleep(for: interval) } catch { return }
            // Where the system has no thread to give, the next look finds the file.
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
