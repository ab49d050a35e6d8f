extension Gazetteer {
    /// Beyond this a populated place says nothing of the country: the answer is `remote`.
    package static let placeCapMetres = 100_000.0

    /// Names the country, division and nearest populated place of a coordinate.
    ///
    /// The place is the nearest by great-circle arc (haversine formula) within
    /// `placeCapMetres`; sections of places (GeoNames PPLX) and historical, abandoned or destroyed
    /// ones are never answers. Beyond the cap all is nil and the certainty is `remote`.
    /// Nothing on the search path allocates; the answer's strings do.
    package func reverse(_ coordinate: Coordinate) -> ReverseAnswer {
        let tree = PlaceTree(vectors: vectors, count: header.treePlaceCount)
        let limit = Sphere.squaredChord(arcMetres: Self.placeCapMetres)
        guard let nearest = tree.nearest(to: UnitVector(coordinate), within: limit, where: { _ in true })
        else {
            return ReverseAnswer(
                country: nil, admin1: nil, place: nil, distanceMetres: nil, certainty: .remote)
        }
        return ReverseAnswer(
            country: country(country(ofPlace: nearest.index)),
            admin1: admin1(admin1(ofPlace: nearest.index)),
            place: place(nearest.index),
            distanceMetres: Sphere.arcMetres(squaredChord: nearest.squaredChord),
            certainty: .nearestPlace)
    }
}
