extension Gazetteer {
    /// A populated place farther than this is not named: it says nothing about the point.
    ///
    /// Without borders the cap also decides the country: of 476 reference points 363 are right at
    /// 50 km, 393 at 100 km, 403 at 150 km; a larger cap claims more of the open sea.
    package static let placeCapMetres = 100_000.0
    /// A point outside every border belongs to the nearest one within this distance: quays, piers, beaches
    /// and coastal waters lie outside generalised coasts.
    package static let borderCapMetres = 12_000.0

    /// How far around itself a place decides the country if a generalised border cuts it off from its own.
    package static let townRadiusMetres = 3_000.0
    package static let squaredPlaceCap = Sphere.squaredChord(arcMetres: placeCapMetres)
    package static let squaredBorderCap = Sphere.squaredChord(arcMetres: borderCapMetres)
    package static let squaredTownRadius = Sphere.squaredChord(arcMetres: townRadiusMetres)

    /// Names the country, division and nearest populated place of a coordinate.
    ///
    /// With borders in the index, the country is the first of these: the one whose polygon contains the point;
    /// the one whose border is nearest within `borderCapMetres`; that of the nearest place within
    /// `borderCapMetres` that no polygon covers (small islands); none (`remote`).
    ///
    /// The division is the first of these, within the country: the one whose polygon contains the point; the one
    /// whose border is nearest within `borderCapMetres`; that of the place. The place is the nearest of that
    /// division within `placeCapMetres`, else the nearest of the country within that.
    ///
    /// GeoNames may list a place under another country than the polygon around it. If that country's own border is
    /// farther than `borderCapMetres` or unknown (overseas departments, disputed land), the place wins over the
    /// polygon for all points that it is nearest to. If the border is nearer (a town at a generalised border), it
    /// wins only within `townRadiusMetres`.
    ///
    /// Without borders the country is that of the nearest place within `placeCapMetres`, which may be wrong
    /// near a border; beyond that distance everything is nil.
    ///
    /// Nearness is the great-circle arc (haversine formula). Sections of places (GeoNames PPLX) and
    /// historical, abandoned or destroyed places are never returned. The search path does not
    /// allocate; the answer creates its texts when they are asked for.
    package func reverse(_ coordinate: Coordinate) -> ReverseAnswer {
        let target = UnitVector(coordinate)
        guard let borders else {
            let found = tree.nearest(inTree: TreePlan.allPlaces, to: target, within: Self.squaredPlaceCap)
            return answer(coordinate, target, found.map { country(ofPlace: $0) }, nil, found, .nearestPlace)
        }
        let point = Point(
            coordinate: coordinate, target: target, borders: borders, spot: borders.spot(of: coordinate))
        if let area = point.spot.area, isCountry(area) { return answer(inside: area, point, .insideBorder) }
        if let near = borders.nearest(to: coordinate, within: Self.borderCapMetres, where: isCountry) {
            return answer(inside: near.region, point, .nearBorder(metres: near.metres))
        }
        let island = tree.nearest(inTree: TreePlan.uncovered, to: target, within: Self.squaredBorderCap)
        return answer(coordinate, target, island.map { country(ofPlace: $0) }, nil, island, .nearestPlace)
    }

    package typealias Division = (index: UInt16, certainty: ReverseAnswer.DivisionCertainty)

    /// The point to look up, and what the borders say about it.
    private struct Point {
        let coordinate: Coordinate
        let target: UnitVector
        let borders: BorderMap
        let spot: BorderMap.Spot
    }

    private func answer(
        inside polygon: UInt16, _ point: Point, _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        if contestedSquares.contains(point.coordinate),
            let witness = overruling(polygon, point.target, within: Self.squaredPlaceCap)
        {
            let country = country(ofPlace: witness)
            let division = division(ofCountry: country, point)
            let place = division.flatMap { division in
                nearestOverruling(
                    polygon, point.target, within: Self.squaredPlaceCap, division: division.index)
            }
            return answer(point.coordinate, point.target, country, division, place ?? witness, .nearestPlace)
        }
        let division = division(ofCountry: polygon, point)
        if let division {
            let tree = tree(ofAdmin1: division.index)
            if let place = self.tree.nearest(inTree: tree, to: point.target, within: Self.squaredPlaceCap) {
                return answer(point.coordinate, point.target, polygon, division, place, certainty)
            }
        }
        let place = nearestOwn(polygon, point.target, within: Self.squaredPlaceCap)
        // Far from any place, a country with overruled land must still decide between the countries.
        if place == nil, hasFlag(CountryRecord.Flag.hasOverruledLand, country: polygon),
            let witness = overruling(polygon, point.target, within: .infinity)
        {
            let country = country(ofPlace: witness)
            return answer(
                point.coordinate, point.target, country, self.division(ofCountry: country, point), nil,
                .nearestPlace)
        }
        return answer(point.coordinate, point.target, polygon, division, place, certainty)
    }

    /// The place that overrules a country's polygon at a point: it is nearer than all of the country's own places.
    private func overruling(_ polygon: UInt16, _ target: UnitVector, within cap: Double) -> Int? {
        guard let place = nearestOverruling(polygon, target, within: cap) else { return nil }
        let chord = tree.squaredChord(ofPlace: place, target)
        guard let own = nearestOwn(polygon, target, within: chord) else { return place }
        let isNearer =
            tree.squaredChord(ofPlace: own, target) < chord
            || tree.geonameid(ofPlace: own) < tree.geonameid(ofPlace: place)
        return isNearer ? nil : place
    }

    private func nearestOverruling(
        _ polygon: UInt16, _ target: UnitVector, within cap: Double, division: UInt16? = nil
    ) -> Int? {
        let trees = trees(ofCountry: polygon)
        var search = PlaceTree.Search(target, within: cap, division: division)
        tree.search(trees.lowerBound, &search)
        var nearby = PlaceTree.Search(target, within: min(cap, Self.squaredTownRadius), division: division)
        tree.search(trees.lowerBound + 1, &nearby)
        let places = [tree.nearest(search), tree.nearest(nearby)].compactMap { $0 }
        return places.min { left, right in
            let (one, other) = (
                tree.squaredChord(ofPlace: left, target), tree.squaredChord(ofPlace: right, target)
            )
            return one != other ? one < other : tree.geonameid(ofPlace: left) < tree.geonameid(ofPlace: right)
        }
    }

    /// The nearest place in all of a country's own trees.
    private func nearestOwn(_ country: UInt16, _ target: UnitVector, within cap: Double) -> Int? {
        var search = PlaceTree.Search(target, within: cap)
        for number in trees(ofCountry: country).dropFirst(2) where !tree.isBeyond(number, search) {
            tree.search(number, &search)
        }
        return tree.nearest(search)
    }

    private func division(ofCountry country: UInt16, _ point: Point) -> Division? {
        // Nearly all points lie in such a cell.
        if let division = point.spot.onlyDivision, self.country(ofAdmin1: division) == country {
            return (division, .insideBorder)
        }
        guard hasFlag(CountryRecord.Flag.hasDivisionBorders, country: country) else { return nil }
        let isOwn = { (division: UInt16) in self.country(ofAdmin1: division) == country }
        if let division = point.spot.division(where: isOwn) { return (division, .insideBorder) }
        return point.borders.nearestDivision(
            to: point.coordinate, within: Self.borderCapMetres, where: isOwn
        ).map { ($0.region, .nearBorder(metres: $0.metres)) }
    }

    /// Whether an area is a country rather than land of no country.
    package func isCountry(_ area: UInt16) -> Bool { Int(area) < countries.count / CountryRecord.size }

    package func answer(
        _ coordinate: Coordinate, _ target: UnitVector, _ country: UInt16?, _ division: Division?,
        _ place: Int?,
        _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        guard let country, Int(country) < countries.count / CountryRecord.size else {
            return ReverseAnswer(
                gazetteer: self, coordinate: coordinate, target: target, countryIndex: nil, division: nil,
                placeIndex: nil,
                certainty: .remote)
        }
        let ofPlace = place.map { admin1(ofPlace: $0) }.flatMap { $0 == IndexFormat.none16 ? nil : $0 }
        return ReverseAnswer(
            gazetteer: self, coordinate: coordinate, target: target, countryIndex: country,
            division: division ?? ofPlace.map { ($0, .nearestPlace) }, placeIndex: place, certainty: certainty
        )
    }
}
