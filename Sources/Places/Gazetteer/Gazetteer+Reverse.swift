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
    /// A place of the division that is nearer than this, and not `farShare` times as far as a city, is named.
    static let farPlaceMetres = 10_000.0
    static let farShare = 4.0
    private static let squaredFarPlace = Sphere.squaredChord(arcMetres: farPlaceMetres)
    package static let squaredPlaceCap = Sphere.squaredChord(arcMetres: placeCapMetres)
    package static let squaredBorderCap = Sphere.squaredChord(arcMetres: borderCapMetres)
    package static let squaredTownRadius = Sphere.squaredChord(arcMetres: townRadiusMetres)

    /// Names the country, division and nearest populated place of a coordinate.
    ///
    /// With borders in the index, the country is the first of these: the one whose polygon contains the point;
    /// the one whose coast is nearest within `borderCapMetres`, if its polygon ends at the coast; that of the nearest
    /// place within `borderCapMetres` that no polygon covers (small islands); none (`remote`).
    ///
    /// The division is the first of these, within the country: the one whose polygon contains the point; the one
    /// whose border is nearest within `borderCapMetres`; that of the place. A polygon that mixes divisions leaves it to
    /// the place. The place is the nearest of that division within `placeCapMetres`, else the nearest of the country
    /// within that.
    ///
    /// GeoNames may list a place under another country than the polygon around it. If that country's own border is
    /// farther than `borderCapMetres` or unknown (overseas departments, disputed land), the place wins over the
    /// polygon for all points that it is nearest to. If the border is nearer (a town at a generalised border), it
    /// wins only within `townRadiusMetres`. A place in the polygon of another division of its country wins, with its own
    /// division, where it is nearest and within `strayRadius(population:)`. So does a city with most of its division's people whose
    /// radius as a city reaches the point, if the nearest place of the polygon's division is farther than `farPlaceMetres`, and `farShare` times as far.
    ///
    /// Without borders the country is that of the nearest place within `placeCapMetres`, which may be wrong
    /// near a border; beyond that distance everything is nil.
    ///
    /// Nearness is the great-circle arc (haversine formula); of places at one point the most populous one is named.
    /// Sections of places (GeoNames PPLX) and historical, abandoned or destroyed places are never returned. The search
    /// path does not allocate; the answer creates its texts when they are asked for.
    package func reverse(_ coordinate: Coordinate) -> ReverseAnswer {
        let target = UnitVector(coordinate)
        guard let borders else {
            let found = tree.nearest(inTree: TreePlan.allPlaces, to: target, within: Self.squaredPlaceCap)
            return answer(coordinate, target, found.map { country(ofPlace: $0) }, nil, found, .nearestPlace)
        }
        let point = Point(
            coordinate: coordinate, target: target, borders: borders, spot: borders.spot(of: coordinate))
        if let area = point.spot.area, isCountry(area) { return answer(inside: area, point, .insideBorder) }
        if let near = borders.nearest(to: coordinate, within: Self.borderCapMetres, where: endsAtCoast) {
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
        let isContested = contestedCells.contains(point.coordinate)
        if isContested, let witness = overruling(polygon, point.target, within: Self.squaredPlaceCap) {
            return answer(
                point.coordinate, point.target, country(ofPlace: witness), nil, witness, .nearestPlace)
        }
        let division = division(ofCountry: polygon, point)
        let nearest =
            division.flatMap {
                tree.nearest(inTree: tree(ofAdmin1: $0.index), to: point.target, within: Self.squaredPlaceCap)
            } ?? nearestOwn(polygon, point.target, within: Self.squaredPlaceCap)
        if isContested, division != nil, let stray = stray(polygon, point.target, nearerThan: nearest) {
            let own: Division = (admin1(ofPlace: stray), .nearestPlace)
            return answer(point.coordinate, point.target, polygon, own, stray, certainty)
        }
        if division != nil, let city = city(polygon, point.target, aroundWhich: nearest) {
            let own: Division = (admin1(ofPlace: city), .nearestPlace)
            return answer(point.coordinate, point.target, polygon, own, city, certainty)
        }
        // Far from any place, a country with overruled land must still decide between the countries; its waters need not.
        if nearest == nil, hasFlag(CountryRecord.Flag.hasOverruledLand, country: polygon),
            !hasFlag(CountryRecord.Flag.hasWaters, country: polygon),
            let witness = overruling(polygon, point.target, within: .infinity)
        {
            let country = country(ofPlace: witness)
            return answer(
                point.coordinate, point.target, country, self.division(ofCountry: country, point), nil,
                .nearestPlace)
        }
        let region = division ?? (nearest == nil ? farDivision(polygon, point) : nil)
        return answer(point.coordinate, point.target, polygon, region, nearest, certainty)
    }

    /// The division of a country's nearest place, however far: where a polygon mixes divisions and no place is near.
    private func farDivision(_ country: UInt16, _ point: Point) -> Division? {
        guard hasFlag(CountryRecord.Flag.hasDivisionBorders, country: country),
            let place = nearestOwn(country, point.target, within: .infinity),
            admin1(ofPlace: place) != IndexFormat.none16
        else { return nil }
        return (admin1(ofPlace: place), .nearestPlace)
    }

    /// The place that overrules a country's polygon at a point: it is nearer than all of the country's own places.
    private func overruling(_ polygon: UInt16, _ target: UnitVector, within cap: Double) -> Int? {
        let trees = trees(ofCountry: polygon)
        var search = PlaceTree.Search(target, within: cap)
        tree.search(trees.lowerBound, &search)
        var nearby = PlaceTree.Search(target, within: min(cap, Self.squaredTownRadius))
        tree.search(trees.lowerBound + 1, &nearby)
        guard let place = nearer(tree.nearest(search), tree.nearest(nearby), target) else { return nil }
        let own = nearestOwn(polygon, target, within: tree.squaredChord(ofPlace: place, target))
        return nearer(own, place, target) == place ? place : nil
    }

    private func nearestOwn(_ country: UInt16, _ target: UnitVector, within cap: Double) -> Int? {
        tree.nearest(inTrees: ownTrees(ofCountry: country), to: target, within: cap)
    }

    /// The nearest place of a country that strays and reaches a point, if it is nearer than another place.
    private func stray(_ country: UInt16, _ target: UnitVector, nearerThan place: Int?) -> Int? {
        let cap = place.map { tree.squaredChord(ofPlace: $0, target) } ?? Self.squaredPlaceCap
        let found = tree.nearest(
            inTrees: CollectionOfOne(trees(ofCountry: country).lowerBound + TreePlan.strays), to: target,
            within: cap
        ) { [self] stray in
            let reach = Self.strayRadius(population: population(ofPlace: stray))
            return tree.squaredChord(ofPlace: stray, target) <= Sphere.squaredChord(arcMetres: reach)
        }
        guard let stray = found?.place else { return nil }
        return nearer(stray, place, target) == stray ? stray : nil
    }

    /// A city that has most people of its division and whose radius reaches a point, or a part of it that does, if the nearest
    /// place of the division that a polygon says is far in comparison: capital districts are drawn smaller than their
    /// capitals have grown, or not at all. Other cities end at their borders, often a river, behind which the table may lack
    /// places.
    private func city(_ country: UInt16, _ target: UnitVector, aroundWhich place: Int?) -> Int? {
        let chord = place.map { tree.squaredChord(ofPlace: $0, target) } ?? Self.squaredPlaceCap
        guard chord > Self.squaredFarPlace else { return nil }
        return tree.nearest(
            inTrees: ownTrees(ofCountry: country), to: target,
            within: chord / (Self.farShare * Self.farShare)
        ) { [self] city in
            let reach = CityRule.radius(population: UInt32(clamping: population(ofPlace: city)))
            return tree.squaredChord(ofPlace: city, target) <= Sphere.squaredChord(arcMetres: reach)
                && fillsDivision(cityIndex(ofPlace: city) ?? city)
        }?.place
    }

    /// Whether a city has two thirds of its division's people.
    private func fillsDivision(_ city: Int) -> Bool {
        let division = admin1(ofPlace: city)
        return division != IndexFormat.none16
            && Double(population(ofPlace: city)) * 3 >= people(ofAdmin1: Int(division)) * 2
    }

    package static func squaredChord(metres: Double) -> Double { Sphere.squaredChord(arcMetres: metres) }

    /// How far around itself a place in another division's polygon is named: its radius as a city, but at least
    /// `townRadiusMetres`.
    package static func strayRadius(population: Int) -> Double {
        max(townRadiusMetres, CityRule.radius(population: UInt32(clamping: population)))
    }

    private func nearer(_ one: Int?, _ other: Int?, _ target: UnitVector) -> Int? {
        guard let one, let other else { return one ?? other }
        let (chord, otherChord) = (
            tree.squaredChord(ofPlace: one, target), tree.squaredChord(ofPlace: other, target)
        )
        let isFirst = chord != otherChord ? chord < otherChord : tree.isPreferred(one, to: other)
        return isFirst ? one : other
    }

    /// Nil if no polygon of a division is near, or if the one there mixes divisions.
    private func division(ofCountry country: UInt16, _ point: Point) -> Division? {
        // Nearly all points lie in such a cell.
        if let division = point.spot.onlyDivision, self.country(ofDivision: division) == country {
            return isMixed(division) ? nil : (division, .insideBorder)
        }
        guard hasFlag(CountryRecord.Flag.hasDivisionBorders, country: country),
            let found = point.borders.division(
                at: point.coordinate, point.spot, where: { self.country(ofDivision: $0) == country }),
            !isMixed(found.region)
        else { return nil }
        return (found.region, found.metres.map { .nearBorder(metres: $0) } ?? .insideBorder)
    }

    /// Whether an area is a country whose polygon ends at the coast.
    package func endsAtCoast(_ area: UInt16) -> Bool {
        isCountry(area) && !hasFlag(CountryRecord.Flag.hasWaters, country: area)
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
