import CivilCalendar
import JobQueue

extension OperatorAction {
    /// Names the jobs of a filter.
    package mutating func describe(_ filter: JobFilter) {
        uploader = filter.fairKey
        if !filter.ids.isEmpty {
            let shown = filter.ids.prefix(20).map(\.description).joined(separator: ", ")
            target =
                "\(filter.ids.count == 1 ? "job" : "jobs") \(shown)\(filter.ids.count > 20 ? " and others" : "")"
            return
        }
        var words: [String] = []
        if !filter.states.isEmpty {
            words.append("state \(filter.states.map(\.rawValue).joined(separator: " or "))")
        }
        if !filter.kinds.isEmpty {
            words.append("kind \(filter.kinds.map(\.rawValue).joined(separator: " or "))")
        }
        if let queue = filter.queue { words.append("queue \(queue)") }
        if let reason = filter.reason { words.append("reason \(reason)") }
        if let text = filter.text { words.append("text “\(text)”") }
        if let worker = filter.worker { words.append("worker \(worker)") }
        if let since = filter.since { words.append("since \(since.shortStamp)") }
        if let before = filter.before { words.append("before \(before.shortStamp)") }
        self.filter = words.joined(separator: ", ")
    }
}
