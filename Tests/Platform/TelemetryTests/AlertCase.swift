/// A course of some series, and whether an alert fires at a minute of it.
struct AlertCase: Sendable {
    let alert: String
    let what: String
    /// The values of each series, one per minute, in promtool's notation: `0x5 1x20` is six times 0, then 21 times 1.
    let series: [String: String]
    let minute: Int
    /// The labels of each alert that fires. No other alert may.
    let fires: [[String: String]]

    init(
        _ alert: String, _ what: String, _ series: [String: String], at minute: Int,
        fires: [[String: String]] = []
    ) {
        self.alert = alert
        self.what = what
        self.series = series.merging([Self.workers: "1x200"]) { given, _ in given }
        self.minute = minute
        self.fires = fires
    }

    static let workers = #"darkroom_workers{instance="a"}"#
    static let oldest = #"darkroom_queue_oldest_seconds{queue="bulk",kind="ingest",instance="a"}"#
    static let failed = #"darkroom_attempts_total{kind="ingest",outcome="failed",instance="a"}"#
    static let crashed = #"darkroom_attempts_total{kind="ingest",outcome="crashed",instance="a"}"#
    static let rejected = #"darkroom_attempts_total{kind="ingest",outcome="rejected",instance="a"}"#
    static let succeeded = #"darkroom_attempts_total{kind="ingest",outcome="succeeded",instance="a"}"#
    static let lost = #"darkroom_rejections_total{kind="ingest",reason="original_missing",instance="a"}"#
    static let quarantined = #"darkroom_jobs_quarantined_total{instance="a"}"#
    static let stray = #"darkroom_stray_leases{instance="a"}"#
    static let rescued = #"darkroom_jobs_rescued_total{instance="a"}"#
    static let heartbeat = #"darkroom_last_heartbeat_timestamp_seconds{instance="a"}"#
    static let claimFailures = #"darkroom_claim_failures_total{instance="a"}"#
    static let listener = #"darkroom_listener_connected{instance="a"}"#
    static let schema = #"darkroom_schema_served{instance="a"}"#
    static let store = #"darkroom_dependency_up{dependency="store",instance="a"}"#
    static let promote = #"darkroom_upkeep_failures_total{duty="promote",instance="a"}"#
    static let history = #"darkroom_upkeep_failures_total{duty="history",instance="a"}"#

    /// Everything is wrong until minute 10, when the last worker and its series disappear.
    private static let lastBreath = [
        workers: "1x10 stale", oldest: "900x10 stale", failed: "0+1x10 stale", quarantined: "0+1x10 stale",
        stray: "3x10 stale", rescued: "0+1x10 stale", heartbeat: "1x10 stale", claimFailures: "0+1x10 stale",
        listener: "0x10 stale", schema: "0x10 stale", store: "0x10 stale", promote: "0+1x10 stale",
        history: "0+1x10 stale",
        rejected: "0+1x10 stale", lost: "0+1x10 stale", crashed: "0+1x10 stale",
    ]

    static let all = [
        AlertCase("DarkroomNoWorker", "nothing is left to scrape", lastBreath, at: 120, fires: [[:]]),
        AlertCase("DarkroomNoWorker", "the database knows of none", [workers: "0x30"], at: 3, fires: [[:]]),
        AlertCase(
            "DarkroomNoWorker", "one of two is left", [workers: "1x5 stale", other(workers): "2x5 1x20"],
            at: 20),
        AlertCase(
            "DarkroomNoWorker", "the queue cannot be read", [workers: "NaN NaN NaN NaN NaN NaN"], at: 5),

        AlertCase(
            "DarkroomJobsWait", "nobody claims", [oldest: "0+60x30"], at: 12, fires: [["queue": "bulk"]]),
        AlertCase("DarkroomJobsWait", "a short rush", [oldest: "0x5 600x3 0x30"], at: 9),
        AlertCase("DarkroomJobsWait", "an empty queue", [oldest: "0x30"], at: 20),

        AlertCase(
            "DarkroomJobsFail", "the first failure", [failed: "0x20 1x20"], at: 23,
            fires: [["kind": "ingest"]]),
        AlertCase(
            "DarkroomJobsFail", "the first after a restart", [failed: "5x20 0x2 1x20"], at: 25,
            fires: [["kind": "ingest"]]),
        AlertCase(
            "DarkroomJobsFail", "before a new worker's first scrape", [failed: "_x20 1x20"], at: 23,
            fires: [["kind": "ingest"]]),
        AlertCase("DarkroomJobsFail", "a restart", [failed: "5x20 0x20"], at: 23),
        AlertCase("DarkroomJobsFail", "a new worker", [failed: "_x20 0x20"], at: 23),
        AlertCase("DarkroomJobsFail", "long ago", [failed: "0x5 1x60"], at: 50),
        AlertCase("DarkroomJobsFail", "another outcome", [succeeded: "0+1x60"], at: 23),

        AlertCase("DarkroomJobsQuarantined", "the first", [quarantined: "0x20 1x20"], at: 23, fires: [[:]]),
        AlertCase(
            "DarkroomJobsQuarantined", "before a new worker's first scrape", [quarantined: "_x20 1x20"],
            at: 23, fires: [[:]]),
        AlertCase("DarkroomJobsQuarantined", "a restart", [quarantined: "2x20 0x20"], at: 23),
        AlertCase("DarkroomJobsQuarantined", "long ago", [quarantined: "0x5 1x60"], at: 50),

        AlertCase(
            "DarkroomStrayLeases", "nobody rescues", [stray: "0x5 2x20", other(stray): "0x5 2x20"], at: 9,
            fires: [[:]]),
        AlertCase("DarkroomStrayLeases", "rescued in time", [stray: "0x5 2 0x20"], at: 6),
        AlertCase("DarkroomStrayLeases", "not read", [stray: "NaN NaN NaN NaN NaN NaN"], at: 5),

        AlertCase(
            "DarkroomWorkersDie", "every 8 minutes", [rescued: "0x8 1x8 2x8 1x8 2x8"], at: 40,
            fires: [[:]]),
        AlertCase("DarkroomWorkersDie", "once, with many jobs", [rescued: "0x5 64x60"], at: 14),
        AlertCase("DarkroomWorkersDie", "long ago", [rescued: "0x5 64x60"], at: 50),
        AlertCase("DarkroomWorkersDie", "a restart", [rescued: "9x20 0x40"], at: 45),

        AlertCase(
            "DarkroomWorkerCutOff", "for minutes", [heartbeat: "0+60x10 600x20"], at: 14,
            fires: [["instance": "a"]]),
        AlertCase("DarkroomWorkerCutOff", "heartbeats go on", [heartbeat: "0+60x30"], at: 14),
        AlertCase("DarkroomWorkerCutOff", "long since the last scrape", [heartbeat: "0+60x5 _x9"], at: 8),
        AlertCase("DarkroomWorkerCutOff", "not registered yet", [heartbeat: "0x30"], at: 14),

        AlertCase(
            "DarkroomClaimsFail", "all the time", [claimFailures: "0+1x30"], at: 12,
            fires: [["instance": "a"]]),
        AlertCase("DarkroomClaimsFail", "once", [claimFailures: "0x10 1x30"], at: 13),
        AlertCase("DarkroomClaimsFail", "a restart", [claimFailures: "8x10 0x30"], at: 13),

        AlertCase(
            "DarkroomListenerDeaf", "for long", [listener: "1x5 0x30"], at: 17, fires: [["instance": "a"]]),
        AlertCase("DarkroomListenerDeaf", "for a moment", [listener: "1x5 0x5 1x30"], at: 11),

        AlertCase(
            "DarkroomSchemaNotServed", "an old release", [schema: "1x5 0x30"], at: 8,
            fires: [["instance": "a"]]),
        AlertCase("DarkroomSchemaNotServed", "the right release", [schema: "1x30"], at: 8),
        AlertCase("DarkroomSchemaNotServed", "not known yet", [schema: "NaN NaN NaN NaN NaN NaN"], at: 5),

        AlertCase(
            "DarkroomDependencyAway", "an unmounted disk", [store: "1x5 0x30"], at: 8,
            fires: [["instance": "a", "dependency": "store"]]),
        AlertCase("DarkroomDependencyAway", "for a moment", [store: "1x5 0x0 1x30"], at: 8),

        AlertCase(
            "DarkroomUpkeepFails", "all the time", [promote: "0+1x30"], at: 12, fires: [["duty": "promote"]]),
        AlertCase("DarkroomUpkeepFails", "once", [promote: "0x5 1x30"], at: 12),
        AlertCase("DarkroomUpkeepFails", "a restart", [promote: "50x20 0x30"], at: 28),

        AlertCase("DarkroomHistoryNotKept", "once", [history: "0x5 1x30"], at: 8, fires: [[:]]),
        AlertCase("DarkroomHistoryNotKept", "long ago", [history: "0x5 1x120"], at: 90),
        AlertCase("DarkroomHistoryNotKept", "another duty", [promote: "0x5 1x30"], at: 8),

        AlertCase(
            "DarkroomRejectionsJump", "half of the photos, after a good day",
            [lost: "0x90 0+1x60", rejected: "0x90 0+1x60", succeeded: "0+1x150"], at: 120,
            fires: [["reason": "original_missing"]]),
        AlertCase(
            "DarkroomRejectionsJump", "all photos, after a day without any",
            [lost: "0x90 0+1x60", rejected: "0x90 0+1x60", succeeded: "0x150"], at: 120,
            fires: [["reason": "original_missing"]]),
        AlertCase(
            "DarkroomRejectionsJump", "all photos of a new installation",
            [lost: "0+1x60", rejected: "0+1x60", succeeded: "0x60"], at: 25,
            fires: [["reason": "original_missing"]]),
        AlertCase(
            "DarkroomRejectionsJump", "as many as always",
            [lost: "0+2x200", rejected: "0+2x200", succeeded: "0+3x200"], at: 150),
        AlertCase(
            "DarkroomRejectionsJump", "a single user in a quiet hour",
            [lost: "0x90 0+1x4 5x60", rejected: "0x90 0+1x4 5x60", succeeded: "0x150"], at: 110),
        AlertCase(
            "DarkroomRejectionsJump", "no photos", [lost: "7x200", rejected: "7x200", succeeded: "9x200"],
            at: 150),

        AlertCase(
            "DarkroomRenderersCrash", "with several photos", [crashed: "0x5 7x30"], at: 8, fires: [[:]]),
        AlertCase("DarkroomRenderersCrash", "with one photo", [crashed: "0x5 2x30"], at: 8),
        AlertCase("DarkroomRenderersCrash", "a restart", [crashed: "90x20 0x30"], at: 30),
    ]

    /// The same series of another worker.
    private static func other(_ series: String) -> String {
        series.replacing(#"instance="a""#, with: #"instance="b""#)
    }
}
