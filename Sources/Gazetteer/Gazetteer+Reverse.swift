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
    static let squaredPlaceCap = Sphere.squaredChord(arcMetres: placeCapMetres)
    static let squaredBorderCap = Sphere.squaredChord(arcMetres: borderCapMetres)
    static let squaredTownRadius = Sphere.squaredChord(arcMetres: townRadiusMetres)

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
    /// allocates; the answer makes its texts when they are asked for.
    package func reverse(_ coordinate: Coordinate) -> ReverseAnswer {
        let target = UnitVector(coordinate)
        let countryCount = countries.count / CountryRecord.size
        guard let borders = countryBorders else {
            let found = tree.nearest(inTree: countryCount + 1, to: target, within: Self.squaredPlaceCap)
            return answer(found.map { country(ofPlace: $0.point.place) }, found, .nearestPlace)
        }
        if let region = borders.region(containing: coordinate) {
            return answer(inside: region, target, .insideBorder)
        }
        if let near = borders.nearest(to: coordinate, within: Self.borderCapMetres) {
            return answer(inside: near.region, target, .nearBorder(metres: near.metres))
        }
        let island = tree.nearest(inTree: countryCount, to: target, within: Self.squaredBorderCap)
        return answer(island.map { country(ofPlace: $0.point.place) }, island, .nearestPlace)
    }

    private func answer(
        inside region: UInt16, _ target: UnitVector, _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        let found = tree.nearest(inTree: Int(region), to: target, within: Self.squaredPlaceCap)
        // Far from any place a country with overruled land still needs to know which it is.
        let witness =
            found == nil && hasOverruledLand(country: region)
            ? tree.nearest(inTree: Int(region), to: target, within: .infinity) : found
        guard let witness, witness.point.overrules else { return answer(region, found, certainty) }
        return answer(country(ofPlace: witness.point.place), found, .nearestPlace)
    }

    func answer(
        _ country: UInt16?, _ nearest: PlaceTree.Nearest?, _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        guard let country, Int(country) < countries.count / CountryRecord.size else {
            return ReverseAnswer(
                gazetteer: self, countryIndex: nil, placeIndex: nil, squaredChord: 0, certainty: .remote)
        }
        return ReverseAnswer(
            gazetteer: self, countryIndex: country, placeIndex: nearest?.point.place,
            squaredChord: nearest?.squaredChord ?? 0, certainty: certainty)
    }
}
