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
        let match: PlaceMatch? =
            switch statement {
            case .place(let text): try Self.find(text, in: gazetteer)
            case .coordinates: nil
            }
        return try await pool.withTransaction { transaction in
            let known = try await RelocationStore.location(of: post, in: transaction)
            let privacy = known.policy.privacy(atLeast: known.privacy)
            let (exact, published): (Coordinate, PublishedLocation)
            switch statement {
            case .place:
                exact = known.exact
                let named = PostPlace(
                    country: match.map { PostPlace.Named(code: $0.country.code, name: $0.country.name) },
                    admin1: match?.admin1.map { PostPlace.Named(code: $0.code, name: $0.name) })
                published = PublishedLocation(
                    of: exact, privacy: privacy, named: named, place: match?.place,
                    timeZone: match?.place.timeZone)
            case .coordinates(let coordinate):
                exact = coordinate
                published = PublishedLocation(
                    of: exact, privacy: privacy, minimumPopulation: known.policy.minimumPopulation,
                    gazetteer: gazetteer)
            }
            try await RelocationStore.correct(
                NewLocation(known, at: exact, as: published, by: gazetteer), from: known.place,
                said: said, by: author, note: note, in: transaction)
            return published.place
        }
    }

    private var said: RelocationStore.Said {
        switch statement {
        case .place(let text): .place(text)
        case .coordinates(let coordinate):
            .coordinates(latitude: coordinate.latitude, longitude: coordinate.longitude)
        }
    }

    private static func find(_ text: String, in gazetteer: Gazetteer) throws -> PlaceMatch {
        switch gazetteer.forward(text) {
        case .match(let match): return match
        case .noMatch:
            throw PlaceCorrectionError(
                .unknown, "there is no known place called “\(text)”: check the spelling or give coordinates")
        case .ambiguous(let candidates):
            let names = candidates.prefix(3).map {
                [$0.place.name, $0.admin1?.name, $0.country.name].compactMap(\.self).joined(separator: ", ")
            }
            throw PlaceCorrectionError(
                .ambiguous,
                "“\(text)” matches several places: use one of “\(names.joined(separator: "” or “"))”"
            )
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
