import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import Pages

/// The filter of jobs that an address holds.
struct JobQuery: Sendable {
    static let names: Set<String> = [
        "state", "kind", "queue", "reason", "text", "uploader", "worker", "since", "before", "job",
    ]

    let filter: JobFilter

    /// - Throws: ``ConsoleError`` for a value that is none.
    init(_ form: Form) throws {
        var filter = JobFilter()
        filter.ids = try form.all("job").map { text in
            guard let number = Int64(text), number > 0 else { throw Self.wrong("job", text) }
            return JobID(rawValue: number)
        }
        filter.states = try form.all("state").map { text in
            guard let state = JobState(rawValue: text) else { throw Self.wrong("state", text) }
            return state
        }
        filter.kinds = try form.all("kind").map { text in
            guard let kind = JobKind(rawValue: text) else { throw Self.wrong("kind", text) }
            return kind
        }
        filter.queue = form["queue"]
        filter.reason = form["reason"]
        filter.text = form["text"]
        filter.fairKey = form["uploader"]
        filter.worker = try form["worker"].map { text in
            guard let number = Int64(text) else { throw Self.wrong("worker", text) }
            return WorkerID(rawValue: number)
        }
        filter.since = try form["since"].map { try Self.moment("since", $0) }
        filter.before = try form["before"].map { try Self.moment("before", $0) }
        self.filter = filter
    }

    /// The fields of the filter, for people.
    static func fields(_ form: Form) -> HTML {
        """
        \(.choice("state", "State", JobState.allCases.map(\.rawValue), chosen: form.all("state")))
        \(.choice("kind", "Kind", JobDefinition.kinds.map(\.rawValue), chosen: form.all("kind")))
        \(.field("queue", "Queue", form["queue"]))
        \(.field("reason", "Reason", form["reason"], hint: "place_unknown"))
        \(.field("text", "Text of the error", form["text"]))
        \(.field("uploader", "Uploader", form["uploader"]))
        \(.field("worker", "Worker", form["worker"]))
        \(.field("since", "Since", form["since"], hint: "2h or 2026-05-01T12:00Z"))
        \(.field("before", "Before", form["before"], hint: "30m"))
        """
    }

    private static func wrong(_ name: String, _ text: String) -> ConsoleError {
        .badRequest("“\(text)” is no \(name).")
    }

    /// 1000 to 9999.
    static let years =
        Date(timeIntervalSince1970: -30_610_224_000)...Date(timeIntervalSince1970: 253_402_300_799)

    /// A time such as `2026-05-01T12:00:00Z`, or an age before now such as `2h`.
    private static func moment(_ name: String, _ text: String) throws -> Date {
        if let seconds = Form.seconds(text) { return Date(timeIntervalSinceNow: -seconds) }
        for candidate in [
            text, text + "Z", text + ":00Z", text + "T00:00:00Z", text.replacing("Z", with: ":00Z"),
        ] {
            if let date = try? Date(candidate, strategy: .iso8601), years.contains(date) { return date }
        }
        throw ConsoleError.badRequest(
            "“\(text)” is neither a time nor an age: write 2h, 7d or 2026-05-01T12:00:00Z for \(name).")
    }
}
