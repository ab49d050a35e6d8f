package import Gazetteer
package import Postgres
package import Posts

/// A person's correction of a post's place, which overrides the gazetteer and the photo.
package struct PlaceCorrection: Sendable {
    package enum Statement: Sendable, Equatable {
        /// The name of another place, as a person types it. The coordinates stay.
        case place(String)
        /// The point. The place is named from it.
        case coordinates(Coordinate)
    }

    package let post: Int64
    package let statement: Statement
    /// Who corrects it, 1 to 200 characters.
    package let author: String
    /// Why, at most 2 000 characters.
    package let note: String?

    package init(post: Int64, statement: Statement, author: String, note: String?) {
        self.post = post
        self.statement = statement
        self.author = author
        self.note = note
    }

    /// Publishes the place and records who corrected it. From then on, no relocation changes the post's place.
    ///
    /// - Returns: the post's new place.
    /// - Throws: ``PlaceCorrectionError``; ``PostError`` with `noPost`.
    package func apply(in pool: PostgresPool, gazetteer: Gazetteer) async throws -> PostPlace {
        let finding = try finding(in: gazetteer)
        return try await pool.withTransaction { transaction in
            let known = try await RelocationStore.location(of: post, in: transaction)
            let (exact, published) = finding.location(insteadOf: known, gazetteer)
            try await RelocationStore.correct(
                NewLocation(known, at: exact, as: published, by: gazetteer), from: known.place,
                said: finding.said, by: author, note: note, in: transaction)
            return published.place
        }
    }

    private func finding(in gazetteer: Gazetteer) throws -> Finding {
        switch statement {
        case .place(let text):
            let (named, match) = try Self.find(text, in: gazetteer)
            return .place(named, match, text: text)
        case .coordinates(let coordinate): return .coordinates(coordinate)
        }
    }

    /// A statement, and the place that it names.
    private enum Finding {
        case place(ReverseAnswer, PlaceMatch, text: String)
        case coordinates(Coordinate)

        var said: RelocationStore.Said {
            switch self {
            case .place(let named, let match, let text):
                .place(
                    text, geonameid: Int64(named.geonameid ?? 0),
                    precision: match.precision == .city ? .city : .place,
                    radiusMetres: match.radiusMetres)
            case .coordinates(let point):
                .coordinates(latitude: point.latitude, longitude: point.longitude)
            }
        }

        /// A name leaves the coordinates, unless they are those of another typed place.
        func location(
            insteadOf known: KnownLocation, _ gazetteer: Gazetteer
        ) -> (exact: Coordinate, published: PublishedLocation) {
            let privacy = known.policy.privacy(atLeast: known.privacy)
            switch self {
            case .place(let named, _, _):
                let exact = known.isTyped ? named.coordinate : known.exact
                return (
                    exact,
                    PublishedLocation(of: exact, under: named, isTyped: known.isTyped, privacy: privacy)
                )
            case .coordinates(let exact):
                return (
                    exact,
                    PublishedLocation(
                        of: exact, privacy: privacy, minimumPopulation: known.policy.minimumPopulation,
                        gazetteer: gazetteer)
                )
            }
        }
    }

    private static func find(_ text: String, in gazetteer: Gazetteer) throws -> (ReverseAnswer, PlaceMatch) {
        switch gazetteer.forward(text) {
        case .match(let match) where match.kind == .point:
            throw PlaceCorrectionError(
                .unknown,
                "“\(text)” is a point, not a place: give coordinates with --latitude and --longitude")
        // What a person types here is published as typed: a part that is not known must not be dropped.
        case .match(let match) where match.unread != nil:
            throw PlaceCorrectionError(
                .unknown,
                "“\(match.unread ?? "")” of “\(text)” is not known: leave it out or give coordinates")
        case .match(let match) where match.place == nil:
            throw PlaceCorrectionError(
                .unknown,
                "“\(text)” is a whole \(match.precision.rawValue): name a place in it or give coordinates")
        case .match(let match):
            if let answer = match.geonameid.flatMap({ gazetteer.answer(for: $0) }) { return (answer, match) }
            fallthrough
        case .noMatch:
            throw PlaceCorrectionError(
                .unknown, "there is no known place called “\(text)”: check the spelling or give coordinates")
        case .badCoordinates(let fault):
            throw PlaceCorrectionError(.unknown, "“\(text)” is not a point on the Earth: \(fault)")
        case .ambiguous(let candidates):
            throw PlaceCorrectionError(
                .ambiguous,
                "“\(text)” matches several places: use one of “"
                    + candidates.prefix(3).map(\.label).joined(separator: "” or “") + "”")
        }
    }
}

/// Why a place was not corrected.
package struct PlaceCorrectionError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable, Equatable { case unknown, ambiguous }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
