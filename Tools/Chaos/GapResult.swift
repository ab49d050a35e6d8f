/// What became of the jobs of one trial.
package struct GapResult: Sendable {
    package let victim: GapVictim
    package let gap: Duration
    /// Jobs that the victim held when the gap began: all jobs of its worker or, if the server stalls, of both.
    package internal(set) var held = 0
    /// Those of them that succeeded in time.
    package internal(set) var finished = 0
    /// All jobs of the trial.
    package internal(set) var jobs = 0
    /// From the end of the gap until every job was finished; nil if some never were.
    package internal(set) var latest: Duration?
    /// Jobs that had not succeeded when the limit was over.
    package internal(set) var stuck = 0
    /// Jobs whose end, or the result that belongs to it, was committed more than once, or one without the other.
    package internal(set) var double = 0
    /// Jobs that ran on two workers at the same time.
    package internal(set) var overlap = 0
    package internal(set) var quarantined = 0
    /// Tries that were counted against jobs.
    package internal(set) var failures = 0
    /// Deaths of workers that were counted.
    package internal(set) var deaths = 0
    /// Rows of leases after both workers have stopped.
    package internal(set) var leases = 0
    /// Whether both workers stopped by themselves when they were asked to.
    package internal(set) var hasStopped = true
    /// The longest that the harness itself was late.
    package internal(set) var delay = Duration.zero
    /// How often the trial had to be run again, because the harness was late.
    package internal(set) var repeats = 0

    init(victim: GapVictim, gap: Duration) {
        self.victim = victim
        self.gap = gap
    }

    /// Whether the harness was so late that the trial says nothing.
    package var isVoid: Bool { delay > .seconds(2) }

    package var isKept: Bool {
        !isVoid && stuck == 0 && double == 0 && quarantined == 0 && failures == 0 && leases == 0 && hasStopped
            && finished == held
    }
}
