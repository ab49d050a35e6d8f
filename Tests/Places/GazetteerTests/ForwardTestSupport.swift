import Gazetteer

extension ForwardAnswer {
    var match: PlaceMatch? {
        if case .match(let match) = self { match } else { nil }
    }

    var candidates: [PlaceMatch]? {
        if case .ambiguous(let matches) = self { matches } else { nil }
    }

    /// Nil if something matches.
    var suggestions: [PlaceMatch]? {
        if case .noMatch(let suggestions) = self { suggestions } else { nil }
    }
}
