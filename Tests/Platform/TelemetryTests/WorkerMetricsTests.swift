import ChildProcess
import Telemetry
import TestKit
import Testing

@Suite("The metrics of a worker", .timeLimit(.minutes(15)))
struct WorkerMetricsTests {
    /// Every series that a worker can expose, each with one value.
    static func populated() -> String {
        let registry = MetricsRegistry()
        registry.addProcessMetrics()
        let metrics = WorkerMetrics(registry: registry, version: "1.2.3")
        metrics.concurrency.set(4)
        metrics.jobsRunning.set(3)
        metrics.jobsClaimed["ingest"].increment(by: 2)
        metrics.attempts["ingest", "succeeded"].increment()
        metrics.countRejection(kind: "ingest", reason: "not_an_image")
        metrics.jobWait["ingest"].observe(0.5)
        metrics.jobRun["ingest"].observe(0.5)
        metrics.stage["render"].observe(0.5)
        metrics.claim.observe(0.5)
        metrics.claimFailures.increment()
        metrics.leasesLost.increment()
        metrics.lastHeartbeat.set(1_700_000_000)
        metrics.listenerConnected.set(true)
        metrics.queueJobs.replaceAll(with: [MetricSample("default", "ingest", "waiting", value: 7)])
        metrics.queueOldest.replaceAll(with: [MetricSample("default", "ingest", value: 1.5)])
        metrics.workers.set(2)
        metrics.scheduleRuns["expire"].increment()
        metrics.jobsRescued.increment()
        metrics.jobsQuarantined.increment()
        metrics.gazetteer.replaceAll(with: [MetricSample("0123456789abcdef", "2026-01-02", value: 1)])
        metrics.gazetteerReplacements["used"].increment()
        metrics.strayLeases.set(1)
        metrics.leasesReturned.increment()
        metrics.suspectJobs.set(2)
        metrics.schemaServed.set(true)
        metrics.dependencyUp["store"].set(true)
        metrics.dependencyFailures["store"].increment(by: 2)
        metrics.databaseConnections.set(7)
        metrics.upkeepFailures["rescue"].increment()
        return registry.render()
    }

    @Test("have these names and labels, which dashboards and alerts rely on")
    func catalogue() {
        let lines = Self.populated().split(separator: "\n")
            .filter { $0.hasPrefix("darkroom_") && !$0.contains("_bucket{") }
        #expect(
            lines == [
                #"darkroom_attempts_total{kind="ingest",outcome="succeeded"} 1"#,
                #"darkroom_build_info{version="1.2.3"} 1"#,
                "darkroom_claim_failures_total 1",
                "darkroom_claim_seconds_sum 0.5",
                "darkroom_claim_seconds_count 1",
                "darkroom_database_connections 7",
                #"darkroom_dependency_failures_total{dependency="store"} 2"#,
                #"darkroom_dependency_up{dependency="store"} 1"#,
                #"darkroom_gazetteer_info{checksum="0123456789abcdef",date="2026-01-02"} 1"#,
                #"darkroom_gazetteer_replacements_total{result="refused"} 0"#,
                #"darkroom_gazetteer_replacements_total{result="used"} 1"#,
                #"darkroom_job_run_seconds_sum{kind="ingest"} 0.5"#,
                #"darkroom_job_run_seconds_count{kind="ingest"} 1"#,
                #"darkroom_job_wait_seconds_sum{kind="ingest"} 0.5"#,
                #"darkroom_job_wait_seconds_count{kind="ingest"} 1"#,
                #"darkroom_jobs_claimed_total{kind="ingest"} 2"#,
                "darkroom_jobs_quarantined_total 1",
                "darkroom_jobs_rescued_total 1",
                "darkroom_jobs_running 3",
                "darkroom_last_heartbeat_timestamp_seconds 1700000000",
                "darkroom_leases_lost_total 1",
                "darkroom_leases_returned_total 1",
                "darkroom_listener_connected 1",
                #"darkroom_queue_jobs{queue="default",kind="ingest",state="waiting"} 7"#,
                #"darkroom_queue_oldest_seconds{queue="default",kind="ingest"} 1.5"#,
                #"darkroom_rejections_total{kind="ingest",reason="not_an_image"} 1"#,
                #"darkroom_schedule_runs_total{schedule="expire"} 1"#,
                "darkroom_schema_served 1",
                #"darkroom_stage_seconds_sum{stage="render"} 0.5"#,
                #"darkroom_stage_seconds_count{stage="render"} 1"#,
                "darkroom_stray_leases 1",
                "darkroom_suspect_jobs 2",
                #"darkroom_upkeep_failures_total{duty="deadlines"} 0"#,
                #"darkroom_upkeep_failures_total{duty="history"} 0"#,
                #"darkroom_upkeep_failures_total{duty="orphans"} 0"#,
                #"darkroom_upkeep_failures_total{duty="paces"} 0"#,
                #"darkroom_upkeep_failures_total{duty="policies"} 0"#,
                #"darkroom_upkeep_failures_total{duty="promote"} 0"#,
                #"darkroom_upkeep_failures_total{duty="rescue"} 1"#,
                #"darkroom_upkeep_failures_total{duty="review"} 0"#,
                #"darkroom_upkeep_failures_total{duty="schedules"} 0"#,
                #"darkroom_upkeep_failures_total{duty="unpark"} 0"#,
                "darkroom_worker_concurrency 4",
                "darkroom_workers 2",
            ])
    }

    @Test(
        "exist at 0 before anything happens, for every label value that is known; what is not read yet is NaN"
    )
    func known() {
        let registry = MetricsRegistry()
        var known = KnownLabels()
        known.kinds = ["ingest", "noop"]
        known.outcomes = ["failed", "succeeded"]
        known.rejections = ["ingest": ["corrupt", "truncated"], "noop": []]
        known.stages = ["open"]
        known.schedules = ["tally"]
        known.dependencies = ["store"]
        let metrics = WorkerMetrics(registry: registry, version: "1", known: known)
        let zeros: Set = [
            #"darkroom_attempts_total{kind="ingest",outcome="failed"} 0"#,
            #"darkroom_attempts_total{kind="ingest",outcome="succeeded"} 0"#,
            #"darkroom_attempts_total{kind="noop",outcome="failed"} 0"#,
            #"darkroom_attempts_total{kind="noop",outcome="succeeded"} 0"#,
            #"darkroom_dependency_failures_total{dependency="store"} 0"#,
            #"darkroom_gazetteer_replacements_total{result="refused"} 0"#,
            #"darkroom_gazetteer_replacements_total{result="used"} 0"#,
            #"darkroom_job_run_seconds_bucket{kind="noop",le="+Inf"} 0"#,
            #"darkroom_job_run_seconds_count{kind="ingest"} 0"#,
            #"darkroom_job_wait_seconds_count{kind="ingest"} 0"#,
            #"darkroom_jobs_claimed_total{kind="noop"} 0"#,
            #"darkroom_rejections_total{kind="ingest",reason="corrupt"} 0"#,
            #"darkroom_rejections_total{kind="ingest",reason="truncated"} 0"#,
            #"darkroom_schedule_runs_total{schedule="tally"} 0"#,
            #"darkroom_stage_seconds_count{stage="open"} 0"#,
            #"darkroom_upkeep_failures_total{duty="paces"} 0"#,
            "darkroom_workers NaN", "darkroom_stray_leases NaN", "darkroom_suspect_jobs NaN",
            "darkroom_schema_served NaN",
        ]
        func lines() -> Set<String> { Set(registry.render().split(separator: "\n").map(String.init)) }
        #expect(zeros.subtracting(lines()) == [])
        #expect(!lines().contains { $0.hasPrefix(#"darkroom_rejections_total{kind="noop""#) })
        // What is counted is the series that was there.
        metrics.attempts["ingest", "failed"].increment()
        #expect(lines().contains(#"darkroom_attempts_total{kind="ingest",outcome="failed"} 1"#))
    }

    @Test("pass Prometheus's own check")
    func promtoolCheck() async throws {
        let check = try await promtool(
            ["check", "metrics"], input: Self.populated(), fromStandardInput: true)
        #expect(check.ending == .exited(0))
        #expect(check.standardError.isEmpty)
        #expect(check.standardOutput.isEmpty)
    }

    @Test("distinguish 200 reasons over all kinds, and count the rest as other")
    func reasons() {
        let registry = MetricsRegistry()
        let metrics = WorkerMetrics(registry: registry, version: "1")
        for round in 1...2 {
            for reason in 1...250 {
                metrics.countRejection(kind: round == 1 ? "ingest" : "moderate", reason: "r\(reason)")
            }
        }
        let lines = registry.render().split(separator: "\n")
            .filter { $0.hasPrefix("darkroom_rejections_total{") }
        #expect(lines.count == 2 * 201)
        #expect(lines.contains(#"darkroom_rejections_total{kind="ingest",reason="r200"} 1"#))
        #expect(lines.contains(#"darkroom_rejections_total{kind="ingest",reason="other"} 50"#))
        #expect(lines.contains(#"darkroom_rejections_total{kind="moderate",reason="other"} 50"#))
    }
}
