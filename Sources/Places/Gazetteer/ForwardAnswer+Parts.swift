extension ForwardAnswer {
    /// The matches of the text, without suggestions.
    package var matches: [PlaceMatch] {
        switch self {
        case .match(let match): [match]
        case .ambiguous(let matches): matches
        case .noMatch: []
        }
    }

    package var suggestions: [PlaceMatch] {
        if case .noMatch(let suggestions) = self { suggestions } else { [] }
    }

    /// The name of the result, for scripts.
    package var name: String {
        switch self {
        case .match: "match"
        case .ambiguous: "ambiguous"
        case .noMatch: "no_match"
        }
    }
}
