import ChildProcess
import TestKit
import Testing

/// A small part of `make sweep`: the gaps around the moments when a worker gives up its leases and when others take them.
@Suite("Gaps", .timeLimit(.minutes(15)))
struct GapSweepTests {
    @Test("of 8, 10 and 12 seconds lose no job, and finish none twice", .realTime)
    func aroundTheLease() async throws {
        let output = try await ChildProgram(
            Checkout.programs + "/darkroom-dev",
            [
                "chaos", "gaps", "--victim", "worker", "--victim", "connection", "--from", "8s", "--to",
                "12s",
                "--step", "2s", "--at-once", "6", "--json",
            ]
        ).run()
        #expect(output.ending == .exited(0), "\(output.standardError)")
        let trials = try JSONObject.lines(output.standardOutput)
        #expect(trials.count == 6)
        for trial in trials { #expect(try #require(trial.number("held")) >= 1) }
    }
}
