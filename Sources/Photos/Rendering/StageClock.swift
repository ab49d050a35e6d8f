import Glibc
import Imaging

/// Adds the process's CPU time to the current stage.
final class StageClock {
    private(set) var times = StageTimes()
    private var stage: WritableKeyPath<StageTimes, Double> = \.inspect
    private var since = StageClock.now

    /// Ends the current stage and begins `stage`, which may be the same one.
    func enter(_ stage: WritableKeyPath<StageTimes, Double>) {
        let now = Self.now
        times[keyPath: self.stage] += now - since
        (self.stage, since) = (stage, now)
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
