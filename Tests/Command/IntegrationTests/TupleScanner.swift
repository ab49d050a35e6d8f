/// Finds tuples in Swift code one of whose parts waits: `(1, await f())`.
enum TupleScanner {
    private struct Frame {
        let opening: Character
        let start: Int
        /// Not a call's arguments.
        let isTuple: Bool
        var hasComma = false
        var waits = false
    }

    private static let words: Set<String> = [
        "return", "in", "try", "await", "case", "throw", "else", "where",
    ]

    /// The text of each such tuple.
    static func waiting(_ source: String) -> [String] {
        let code = Array(
            source.replacing(/(?s)""".*?"""/, with: "0").replacing(/"(?:\\.|[^"\\\n])*"/, with: "0")
                .replacing(/\/\/[^\n]*/, with: ""))
        var frames: [Frame] = []
        var found: [String] = []
        var word = ""
        // The last word, or the last sign.
        var last = ""
        for (position, sign) in code.enumerated() {
            if sign.isLetter || sign.isNumber || sign == "_" {
                word.append(sign)
                continue
            }
            if !word.isEmpty {
                if word == "await", !frames.isEmpty { frames[frames.count - 1].waits = true }
                last = word
                word = ""
            }
            switch sign {
            case "(", "[", "{":
                let follows = last.last.map { $0.isLetter || $0.isNumber || "_)]>?!`".contains($0) } ?? false
                frames.append(
                    Frame(
                        opening: sign, start: position,
                        isTuple: sign == "(" && (!follows || words.contains(last))))
            case ",": if !frames.isEmpty { frames[frames.count - 1].hasComma = true }
            case ")", "]", "}":
                guard let frame = frames.popLast() else { continue }
                if frame.isTuple, frame.hasComma, frame.waits {
                    found.append(String(code[frame.start...position]))
                }
            default: break
            }
            if !sign.isWhitespace { last = String(sign) }
        }
        return found
    }
}
