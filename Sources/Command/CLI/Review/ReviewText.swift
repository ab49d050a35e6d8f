import Arguments
import PlainText

/// How the review commands format numbers and read a post's number.
enum ReviewText {
    static func hundredths(_ number: Double) -> String { number.fixed(places: 2) }

    static func post(_ arguments: ParsedArguments) throws -> Int64 {
        let text = arguments.string("POST") ?? ""
        guard let id = Int64(text), id > 0 else { throw UsageError("“\(text)” is not a post's number") }
        return id
    }
}
