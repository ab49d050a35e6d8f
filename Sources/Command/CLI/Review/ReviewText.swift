import Arguments

/// How reviews write numbers.
enum ReviewText {
    static func hundredths(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    static func post(_ arguments: ParsedArguments) throws -> Int64 {
        let text = arguments.string("POST") ?? ""
        guard let id = Int64(text), id > 0 else { throw UsageError("“\(text)” is not a post's number") }
        return id
    }
}
