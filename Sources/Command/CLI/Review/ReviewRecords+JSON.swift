import Arguments
import CivilCalendar
import FoundationEssentials
import Posts

extension EvidenceRecord {
    var json: JSON {
        .object([
            ("reporter", .string(reporter)), ("reason", .string(reason)), ("reported_at", .string(at.stamp)),
            ("account_since", .string(accountSince.stamp)), ("agreed", .integer(Int64(agreed))),
            ("disagreed", .integer(Int64(disagreed))), ("record_weight", .number(record)),
            ("account_weight", .number(account)), ("reason_weight", .number(weight)),
            ("group", JSON.optional(group) { .integer(Int64($0)) }), ("counted", .number(counted)),
            ("disregarded", JSON.optional(disregarded) { .string($0) }),
        ])
    }
}

extension DecisionRecord {
    var causeText: String {
        if let similar { return "like post \(similar.post), \(similar.distance) bits apart" }
        if let listed { return "on the list \(listed.name), \(listed.distance) bits apart" }
        if let uploaderRemovals { return "\(uploaderRemovals) posts removed before" }
        return cause ?? "-"
    }

    var json: JSON {
        .object([
            ("decision_id", .integer(id)), ("decision", .string(kind.rawValue)),
            ("cause", JSON.optional(cause) { .string($0) }),
            ("from_state", JSON.optional(from) { .string($0.rawValue) }),
            ("to_state", JSON.optional(to) { .string($0.rawValue) }),
            ("decider", JSON.optional(decider) { .string($0) }),
            ("note", JSON.optional(note) { .string($0) }), ("policy", .integer(Int64(policy))),
            ("reports", .integer(Int64(reports))), ("score", JSON.optional(score) { .number($0) }),
            ("threshold", JSON.optional(threshold) { .number($0) }),
            ("views", JSON.optional(views) { .integer($0) }),
            ("similar_to", JSON.optional(similar) { .integer($0.post) }),
            ("similar_distance", JSON.optional(similar) { .integer(Int64($0.distance)) }),
            ("uploader_removals", JSON.optional(uploaderRemovals) { .integer(Int64($0)) }),
            ("hash_list", JSON.optional(listed) { .string($0.name) }),
            ("hash_distance", JSON.optional(listed) { .integer(Int64($0.distance)) }),
            ("appeal_id", JSON.optional(appeal) { .integer($0) }), ("decided_at", .string(at.stamp)),
        ])
    }
}

extension AppealRecord {
    var json: JSON {
        .object([
            ("appeal_id", .integer(id)), ("text", .string(text)), ("created_at", .string(at.stamp)),
            ("decision_id", JSON.optional(decision) { .integer($0) }),
        ])
    }
}
