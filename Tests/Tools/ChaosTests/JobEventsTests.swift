import Testing

@testable import Chaos

@Suite struct JobEventsTests {
    @Test func attemptsOneAfterTheOtherDoNotOverlap() {
        #expect(JobEvents.overlaps("1 started 7 10\n5 ended 7 10\n6 started 7 20\n9 ended 7 20\n") == 0)
    }

    @Test func jobsAreCountedNotAttempts() {
        let twice =
            "1 started 7 10\n2 started 7 20\n3 started 7 30\n9 ended 7 10\n9 ended 7 20\n9 ended 7 30\n"
        #expect(JobEvents.overlaps(twice) == 1)
        #expect(JobEvents.overlaps("1 started 7 10\n2 started 8 10\n9 ended 7 10\n9 ended 8 10\n") == 0)
    }

    /// Its process was killed, or never came back.
    @Test func anAttemptThatDoesNotEndOverlapsWithEveryLaterOne() {
        #expect(JobEvents.overlaps("1 started 7 10\n6 started 7 20\n9 ended 7 20\n") == 1)
    }
}
