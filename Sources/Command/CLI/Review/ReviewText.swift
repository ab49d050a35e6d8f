import Arguments
import PlainText
import Posts

/// How the review commands format numbers and read the number of a post or comment.
enum ReviewText {
    static func hundredths(_ number: Double) -> String { number.fixed(places: 2) }

    static func post(_ arguments: ParsedArguments) throws -> Int64 { try number(arguments, of: .post) }

    static func number(_ arguments: ParsedArguments, of kind: ModeratedKind) throws -> Int64 {
        let text = arguments.string(kind.rawValue.uppercased()) ?? ""
        guard let id = Int64(text), id > 0 else {
            throw UsageError("“\(text)” is not a \(kind.rawValue)'s number")
        }
        return id
    }
}
