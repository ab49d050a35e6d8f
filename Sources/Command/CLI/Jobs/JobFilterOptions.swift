import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Ingestion
import JobQueue
import JobStore

/// The options that select jobs in the commands of `darkroom jobs`.
enum JobFilterOptions {
    /// - Parameter states: those that the command accepts, for its help.
    static func options(states: [JobState]) -> [Option] {
        [
            .repeated("state", "STATE", "only this state: \(states.map(\.rawValue).joined(separator: ", "))"),
            .repeated(
                "kind", "KIND",
                "only this kind: \(JobDefinition.kinds.map(\.rawValue).joined(separator: ", "))"
            ),
            .value("queue", "NAME", "only jobs in this queue"),
            .value("reason", "CODE", "only jobs that ended with this reason, such as place_unknown"),
            .value("text", "TEXT", "only jobs with this text in the message or cause; ignores case"),
            .value("uploader", "ID", "only jobs of this uploader"),
            .value("since", "TIME", "jobs finished, or enqueued if unfinished, since this time or age: 2h"),
            .value("before", "TIME", "jobs finished, or enqueued if unfinished, before this time or age"),
        ]
    }

    static let numbers = Positional.rest("JOB", "job numbers")

    /// - Throws: `UsageError` if an option's value is invalid or its state is not one of `states`.
    static func filter(_ arguments: ParsedArguments, states: [JobState] = JobState.allCases) throws
        -> JobFilter
    {
        var filter = JobFilter()
        filter.ids = try arguments.strings("JOB").map(number)
        filter.states = try arguments.choices("state", of: JobState.self)
        if let odd = filter.states.first(where: { !states.contains($0) }) {
            throw UsageError(
                "--state \(odd.rawValue) is not possible here; use one of "
                    + states.map(\.rawValue).joined(separator: ", "))
        }
        filter.kinds = try arguments.choices("kind", among: JobDefinition.kinds)
        filter.queue = try arguments.selection("queue")
        filter.reason = try arguments.selection("reason")
        filter.text = try arguments.selection("text")
        filter.fairKey = try arguments.selection("uploader")
        filter.since = try moment("since", arguments)
        filter.before = try moment("before", arguments)
        if let since = filter.since, let before = filter.before, since >= before {
            throw UsageError("--since is not before --before: no job can match")
        }
        return filter
    }

    static func number(_ text: String) throws -> JobID {
        guard let number = Int64(text), number > 0 else {
            throw UsageError("“\(text)” is not a job's number")
        }
        return JobID(rawValue: number)
    }

    /// - Throws: ``CommandError`` with the existing queues if there is no queue `name`.
    static func checkQueue(_ name: String?, _ store: JobStore) async throws {
        guard let name else { return }
        let known = try await store.queues().map(\.name)
        guard known.contains(name) else {
            throw CommandError("there is no queue '\(name)': the queues are \(known.joined(separator: ", "))")
        }
    }

    /// A time, or an age before now.
    static func moment(_ option: String, _ arguments: ParsedArguments) throws -> Date? {
        guard let text = arguments.string(option) else { return nil }
        if text.contains("-") || text.contains(":") { return try arguments.time(option) }
        return try arguments.duration(option).map { Date(timeIntervalSinceNow: -$0.seconds) }
    }
}
