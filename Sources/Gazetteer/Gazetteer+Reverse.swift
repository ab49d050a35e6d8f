extension Gazetteer {
    /// A populated place farther than this is not named: it says nothing of the point.
    ///
    /// Without borders the cap decides the country too: of 476 reference points 363 come out right at
    /// 50 km, 393 at 100 km, 403 at 150 km; a larger cap claims more of the open sea.
    package static let placeCapMetres = 100_000.0
    /// A point outside of every border belongs to the nearest one within this: quays, piers, beaches
    /// and coastal waters lie outside of generalised coasts.
    package static let borderCapMetres = 12_000.0

    /// How far a place that a generalised border cuts off from its country speaks for the land around.
    package static let townRadiusMetres = 3_000.0
    private static let squaredTownRadius = Sphere.squaredChord(arcMetres: townRadiusMetres)

    /// Names the country, division and nearest populated place of a coordinate.
    ///
    /// With borders in the index the country is, in this order: the one whose polygon holds the point;
    /// the one whose border is nearest within `borderCapMetres`; that of the nearest place within
    /// `borderCapMetres` that no polygon covers (small islands); none (`remote`). The place
    /// is then the nearest of that country within `placeCapMetres`, and the division is the place's.
    ///
    /// Where GeoNames lists a place under another country than the polygon around it, and that
    /// country's own border is farther than `borderCapMetres` or unknown (overseas departments,
    /// disputed land), the place wins over the polygon for all points that it is nearest to. Where
    /// that country's border is nearer (a town at a generalised border), only within
    /// `townRadiusMetres`.
    ///
    /// Without borders the country is that of the nearest place within `placeCapMetres`, which near
    /// a border may be wrong, and beyond it all is nil.
    ///
    /// Nearness is the great-circle arc (haversine formula). Sections of places (GeoNames PPLX) and
    /// historical, abandoned or destroyed places are never answers. Nothing on the search path
    /// allocates; the answer's strings do.
    package func reverse(_ coordinate: Coordinate) -> ReverseAnswer {
        let target = UnitVector(coordinate)
        guard let borders = countryBorders else {
            let found = nearestPlace(to: target, within: Self.placeCapMetres) { _, _ in true }
            return answer(found.map { country(ofPlace: $0.index) }, found, .nearestPlace)
        }
        if let region = borders.region(containing: coordinate) {
            return answer(inside: region, target, .insideBorder)
        }
        if let near = borders.nearest(to: coordinate, within: Self.borderCapMetres) {
            return answer(inside: near.region, target, .nearBorder(metres: near.metres))
        }
        let island = nearestPlace(to: target, within: Self.borderCapMetres) { [self] index, _ in
            polygon(ofPlace: index) == IndexFormat.none16
        }
        return answer(island.map { country(ofPlace: $0.index) }, island, .nearestPlace)
    }

    private func nearestPlace(
        to target: UnitVector, within metres: Double, where isIncluded: (Int, Double) -> Bool
    ) -> PlaceTree.Nearest? {
        PlaceTree(vectors: vectors, count: header.treePlaceCount)
            .nearest(to: target, within: Sphere.squaredChord(arcMetres: metres), where: isIncluded)
    }

    private func answer(
        inside region: UInt16, _ target: UnitVector, _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        let found = nearestPlace(to: target, within: Self.placeCapMetres) { [self] index, squaredChord in
            speaks(index, squaredChord, for: region)
        }
        // Far from any place a country with overruled land still needs to know which it is.
        let witness =
            found == nil && hasOverruledLand(country: region)
            ? nearestPlace(to: target, within: .infinity) { [self] in speaks($0, $1, for: region) } : found
        guard let witness, polygonRule(ofPlace: witness.index) != .agrees,
            country(ofPlace: witness.index) != region
        else {
            return answer(region, found, certainty)
        }
        return answer(country(ofPlace: witness.index), found, .nearestPlace)
    }

    /// Whether a place belongs to what a polygon encloses: its country's, or one that overrules it.
    private func speaks(_ place: Int, _ squaredChord: Double, for region: UInt16) -> Bool {
        switch polygonRule(ofPlace: place) {
        case .agrees: country(ofPlace: place) == region
        case .overrules: polygon(ofPlace: place) == region
        case .overrulesNearby:
            country(ofPlace: place) == region
                || (polygon(ofPlace: place) == region && squaredChord <= Self.squaredTownRadius)
        }
    }

    private func answer(
        _ countryIndex: UInt16?, _ nearest: PlaceTree.Nearest?, _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        guard let countryIndex, let country = country(countryIndex) else {
            return ReverseAnswer(
                country: nil, admin1: nil, place: nil, distanceMetres: nil, certainty: .remote)
        }
        return ReverseAnswer(
            country: country, admin1: nearest.flatMap { admin1(admin1(ofPlace: $0.index)) },
            place: nearest.map { place($0.index) },
            distanceMetres: nearest.map { Sphere.arcMetres(squaredChord: $0.squaredChord) },
            certainty: certainty)
    }
}
