package import Gazetteer
package import Posts

/// The location of a photo as readers see it.
package struct PublishedLocation: Sendable, Equatable {
    /// The coordinate that replaces the exact one.
    package let coordinate: Coordinate
    package let privacy: PrivacyLevel
    package let place: PostPlace
    /// IANA name of the time zone.
    package let timeZone: String?

    /// Used if the level is `place` and no place is known: its cells are as large as the reach of the place search.
    static let remoteGrid = CoordinateGrid(cellMetres: Gazetteer.placeCapMetres)

    /// Names a coordinate and chooses what to publish for it. It is pure except for the look-ups.
    ///
    /// Country, division and place are those of the exact coordinate, so that they are right even if a grid cell lies
    /// across a border or between two villages. A place with fewer than `minimumPopulation` inhabitants is replaced by
    /// a larger one in its division or else its country, or by none if there is none near enough. The distance is
    /// measured from the published coordinate; measured from the exact one, it would reveal a circle through that.
    ///
    /// The city is that of the published coordinate, and a section of it is named instead of the place if it is the
    /// nearest to that, so neither reveals what this does not. At the level `place`, the city is that of the place.
    ///
    /// - Parameter typed: the place, division or country that the uploader typed, if any. It is named whatever is nearest,
    ///   and its own coordinate is published, which its name tells anyway. A place that is too small is treated like
    ///   the place of a photo that was taken there.
    /// - Parameter precision: for a whole division or country, no place is named and the coordinate stays as it is; the
    ///   time zone is that of 99 % of its people, if they have one.
    package init(
        of exact: Coordinate, typed: ReverseAnswer? = nil, precision: LocationPrecision = .point,
        privacy: PrivacyLevel, minimumPopulation: Int, gazetteer: Gazetteer
    ) {
        let answer = typed ?? gazetteer.reverse(exact)
        var areas = Areas(answer)
        if minimumPopulation > 0 {
            let larger = gazetteer.place(for: answer, at: exact, minimumPopulation: minimumPopulation)
            areas.replacePlace(by: larger, minimumPopulation: minimumPopulation)
        }
        // The middle of a division or country is nobody's position, and no town.
        let isWide = precision == .division || precision == .country
        if isWide { areas.forgetPlace(precision) }
        let isOwnPlace = !isWide && areas.place == answer.place
        let coordinate =
            isWide || typed != nil && isOwnPlace
            ? exact : Self.coordinate(of: exact, privacy: privacy, place: areas.place)
        if typed == nil, isOwnPlace, privacy != .place {
            areas.nameCity(at: coordinate, gazetteer, minimumPopulation: minimumPopulation)
        }
        self.init(
            areas, at: coordinate, privacy: privacy,
            timeZone: isWide ? answer.commonTimeZone : answer.timeZone)
    }

    /// Publishes a coordinate under a place that a person named, however small.
    ///
    /// - Parameter isTyped: whether the coordinate is the place's own.
    init(of exact: Coordinate, under named: ReverseAnswer, isTyped: Bool, privacy: PrivacyLevel) {
        let areas = Areas(named)
        self.init(
            areas,
            at: isTyped ? exact : Self.coordinate(of: exact, privacy: privacy, place: areas.place),
            privacy: privacy, timeZone: named.timeZone)
    }

    /// Publishes a typed place as it is published, because the gazetteer no longer has it.
    init(keeping known: KnownLocation, privacy: PrivacyLevel) {
        coordinate = known.published
        self.privacy = privacy
        place = known.place
        timeZone = known.timeZone
    }

    private init(_ areas: Areas, at coordinate: Coordinate, privacy: PrivacyLevel, timeZone: String?) {
        self.coordinate = coordinate
        self.privacy = privacy
        self.timeZone = timeZone
        place = PostPlace(
            country: areas.country, division: areas.division,
            city: areas.city.map { PostPlace.City(geonameid: Int64($0.geonameid), name: $0.name) },
            place: areas.place.map {
                PostPlace.Populated(
                    geonameid: Int64($0.geonameid), name: $0.name,
                    distanceMetres: $0.coordinate.distance(to: coordinate))
            })
    }

    private static func coordinate(
        of exact: Coordinate, privacy: PrivacyLevel, place: Place?
    ) -> Coordinate {
        switch privacy {
        case .exact: exact
        case .grid10m, .grid100m, .grid1km:
            privacy.cellMetres.map { CoordinateGrid(cellMetres: $0).centre(of: exact) } ?? exact
        case .place: place?.coordinate ?? remoteGrid.centre(of: exact)
        }
    }
}

extension PublishedLocation {
    /// The levels of a location, from the widest.
    private struct Areas {
        var country: PostPlace.Named?
        var division: PostPlace.Named?
        var city: Place?
        var place: Place?

        init(_ answer: ReverseAnswer) {
            country = answer.country.map {
                PostPlace.Named(
                    code: $0.code, name: $0.name, geonameid: answer.countryNumber.map(Int64.init))
            }
            division = answer.admin1.map {
                PostPlace.Named(code: $0.code, name: $0.name, geonameid: answer.admin1Number.map(Int64.init))
            }
            place = answer.place
            city = answer.cityOfPlace
        }

        /// The city depends on the place alone, so that it reveals no more than that.
        mutating func replacePlace(by larger: PopulousPlace?, minimumPopulation: Int) {
            if let larger, larger.place != place {
                if let wider = larger.admin1 {
                    division = PostPlace.Named(
                        code: wider.code, name: wider.name,
                        geonameid: larger.admin1Number.map(Int64.init))
                }
                city = larger.city
            }
            place = larger?.place
            if place == nil || (city?.population ?? 0) < minimumPopulation { city = nil }
        }

        /// Names the city at a published coordinate, and the section of it, if the coordinate still lies at the place and
        /// they are in the same country and division.
        mutating func nameCity(at coordinate: Coordinate, _ gazetteer: Gazetteer, minimumPopulation: Int) {
            let shown = gazetteer.reverse(coordinate)
            guard let place, shown.geonameid == place.geonameid, isWithin(shown),
                let found = shown.city(at: coordinate), found.city.population >= minimumPopulation
            else { return }
            guard let part = found.locality, part.geonameid != place.geonameid else {
                city = found.city
                return
            }
            guard part.population >= minimumPopulation, isWithin(gazetteer.reverse(part.coordinate)) else {
                return
            }
            self.place = part
            city = found.city
        }

        mutating func forgetPlace(_ precision: LocationPrecision) {
            (city, place) = (nil, nil)
            if precision == .country { division = nil }
        }

        private func isWithin(_ answer: ReverseAnswer) -> Bool {
            answer.country?.code == country?.code && answer.admin1?.code == division?.code
        }
    }
}
