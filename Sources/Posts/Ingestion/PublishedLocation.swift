package import Gazetteer
package import Posts

/// The location of a photo as readers see it.
package struct PublishedLocation: Sendable, Equatable {
    /// The coordinate that replaces the exact one.
    package let coordinate: Coordinate
    package let privacy: PrivacyLevel
    package let place: PostPlace
    /// IANA name of the time zone of the nearest place of any size.
    package let timeZone: String?

    /// Used if the level is `place` and no place is known: its cells are as large as the reach of the place search.
    static let remoteGrid = CoordinateGrid(cellMetres: Gazetteer.placeCapMetres)

    /// Names a coordinate and chooses what to publish for it. It is pure except for the look-ups.
    ///
    /// Country, division and place are those of the exact coordinate, so that they are right even if a grid cell lies
    /// across a border or between two villages. A place with fewer than `minimumPopulation` inhabitants is replaced by
    /// a larger one in its division or else its country, or by none if there is none near enough. The distance is
    /// measured from the published coordinate; measured from the exact one, it would reveal a circle through that.
    package init(
        of exact: Coordinate, privacy: PrivacyLevel, minimumPopulation: Int, gazetteer: Gazetteer
    ) {
        let answer = gazetteer.reverse(exact)
        var named = PostPlace(answer)
        var place = answer.place
        if minimumPopulation > 0 {
            let larger = gazetteer.place(for: answer, at: exact, minimumPopulation: minimumPopulation)
            if let larger, larger.place != place, let admin1 = larger.admin1 {
                named.admin1 = PostPlace.Named(code: admin1.code, name: admin1.name)
            }
            place = larger?.place
        }
        self.init(
            of: exact, privacy: privacy, named: named, place: place, timeZone: answer.timeZone)
    }

    /// Chooses what to publish for a coordinate whose place is known.
    init(
        of exact: Coordinate, privacy: PrivacyLevel, named: PostPlace, place: Place?, timeZone: String?
    ) {
        let coordinate =
            switch privacy {
            case .exact: exact
            case .grid10m, .grid100m, .grid1km:
                privacy.cellMetres.map { CoordinateGrid(cellMetres: $0).centre(of: exact) } ?? exact
            case .place: place?.coordinate ?? Self.remoteGrid.centre(of: exact)
            }
        self.coordinate = coordinate
        self.privacy = privacy
        self.place = PostPlace(
            country: named.country, admin1: named.admin1,
            place: place.map {
                PostPlace.Populated(
                    geonameid: Int64($0.geonameid), name: $0.name,
                    distanceMetres: $0.coordinate.distance(to: coordinate))
            })
        self.timeZone = timeZone
    }
}
