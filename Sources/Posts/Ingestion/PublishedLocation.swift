package import Gazetteer
package import Posts

/// What readers see of where a photo was taken.
package struct PublishedLocation: Sendable, Equatable {
    /// What stands for the exact coordinate.
    package let coordinate: Coordinate
    package let privacy: PrivacyLevel
    package let place: PostPlace
    /// IANA name, of the nearest place of whatever size.
    package let timeZone: String?

    /// Where `place` is asked for and none is known, a cell as large as the search for places reaches.
    static let remoteGrid = CoordinateGrid(cellMetres: Gazetteer.placeCapMetres)

    /// Names a coordinate and chooses what to publish for it; pure but for the look-ups.
    ///
    /// Country, division and place are those of the exact coordinate, so that a grid's cell at a border or between two
    /// villages names none wrongly. A place of fewer than `minimumPopulation` inhabitants gives way to a larger one of
    /// its division or else country, and where there is none near enough, to none. The distance is reckoned from what
    /// is published: from the exact coordinate it would draw a circle through it.
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
