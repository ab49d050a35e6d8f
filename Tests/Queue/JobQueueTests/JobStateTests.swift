import JobQueue
import Testing

@Suite("The job state machine")
struct JobStateTests {
    /// Every state × every event, written out a second time as a table.
    static let table: [JobState: [JobEvent: JobState]] = [
        .waiting: [.claim: .running, .cancel: .cancelled, .park: .parked, .pace: .scheduled],
        .parked: [.unpark: .waiting, .cancel: .cancelled],
        .scheduled: [.becomeDue: .waiting, .cancel: .cancelled],
        .running: [
            .succeed: .succeeded, .reject: .rejected, .fail: .failed, .retry: .scheduled,
            .snooze: .scheduled, .handBack: .waiting, .crash: .waiting, .cancel: .cancelled,
        ],
        .succeeded: [:],
        .rejected: [.replay: .waiting],
        .failed: [.replay: .waiting],
        .cancelled: [.replay: .waiting],
    ]

    @Test("changes state as the table says", arguments: JobState.allCases, JobEvent.allCases)
    func transition(state: JobState, event: JobEvent) {
        #expect(state.after(event) == Self.table[state]?[event])
    }

    @Test("leaves a finished state only by a replay", arguments: JobState.allCases.filter(\.isFinished))
    func finishedStaysFinished(state: JobState) {
        for event in JobEvent.allCases where event != .replay {
            #expect(state.after(event) == nil)
        }
    }
}
