import JobQueue
import Telemetry
import Testing

@testable import JobStore
@testable import Worker

@Suite("The gauges of the queue")
struct QueueSamplesTests {
    @Test("are 0 for every state of a known lane that has no such job")
    func zeros() {
        let depths = [
            QueueStats.Depth(
                queue: "bulk", kind: .noop, state: .waiting, count: 7, oldest: .seconds(90),
                overdue: .seconds(30)),
            QueueStats.Depth(
                queue: "default", kind: .noop, state: .running, count: 2, oldest: .seconds(5), overdue: nil),
        ]
        let samples = QueueSamples(depths, queues: ["default"], kinds: [.noop])
        let registry = MetricsRegistry()
        let metrics = WorkerMetrics(registry: registry, version: "1")
        metrics.queueJobs.replaceAll(with: samples.jobs)
        metrics.queueOldest.replaceAll(with: samples.oldest)
        #expect(
            registry.render().split(separator: "\n").filter { $0.hasPrefix("darkroom_queue_") } == [
                #"darkroom_queue_jobs{queue="bulk",kind="noop",state="parked"} 0"#,
                #"darkroom_queue_jobs{queue="bulk",kind="noop",state="running"} 0"#,
                #"darkroom_queue_jobs{queue="bulk",kind="noop",state="scheduled"} 0"#,
                #"darkroom_queue_jobs{queue="bulk",kind="noop",state="waiting"} 7"#,
                #"darkroom_queue_jobs{queue="default",kind="noop",state="parked"} 0"#,
                #"darkroom_queue_jobs{queue="default",kind="noop",state="running"} 2"#,
                #"darkroom_queue_jobs{queue="default",kind="noop",state="scheduled"} 0"#,
                #"darkroom_queue_jobs{queue="default",kind="noop",state="waiting"} 0"#,
                #"darkroom_queue_oldest_seconds{queue="bulk",kind="noop"} 30"#,
                #"darkroom_queue_oldest_seconds{queue="default",kind="noop"} 0"#,
            ])
    }
}
