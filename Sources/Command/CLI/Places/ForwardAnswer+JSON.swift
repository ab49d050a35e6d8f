import Arguments
import Gazetteer

extension ForwardAnswer {
    func json(of text: String) -> JSON {
        .object([
            ("text", .string(text)), ("result", .string(name)), ("places", .array(matches.map(\.json))),
            ("suggestions", .array(suggestions.map(\.json))),
            ("message", JSON.optional(message(of: text)) { .string($0) }),
        ])
    }
}
