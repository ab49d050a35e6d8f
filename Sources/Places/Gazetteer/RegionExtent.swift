import Synchronization

/// A point in the middle of a country or division, and how far its places lie from that.
///
/// The point is that of the place nearest to the mean of the region's places: the sum of their unit vectors, each
/// weighted by its inhabitants + 1, projected onto the sphere. So it lies where people are, and never in the sea or in
/// another country. The radius is the distance to the region's farthest place, at least 1 km.
struct RegionExtent {
    var coordinate: Coordinate
    var radiusMetres: Double
}

/// What a name in a text may stand for, by its number in the index.
enum ForwardTarget: Hashable {
    case place(Int)
    case admin1(Int)
    case admin2(Int)
    case country(Int)
}

extension Gazetteer {
    /// No radius is smaller: GeoNames gives many points of villages to about a kilometre only.
    package static let smallestRadiusMetres = 1_000.0

    /// The distance from a place's point that holds the place: the radius of `CityRule`, 8.3 m × √inhabitants, and at
    /// least 1 km.
    func radiusMetres(ofPlace place: Int) -> Double {
        max(CityRule.radius(population: UInt32(population(ofPlace: place))), Self.smallestRadiusMetres)
    }

    /// Whether a place is called a city: it has 50,000 inhabitants (`CityRule.smallestCity`), or other places are part
    /// of it.
    func isCity(_ place: Int) -> Bool {
        let people = population(ofPlace: place)
        guard (Int(CityRule.smallestParent)..<Int(CityRule.smallestCity)).contains(people) else {
            return people >= Int(CityRule.smallestCity)
        }
        return citiesWithParts.withLock { cities in
            let known =
                cities
                ?? sections[.cities].map { section in
                    Set(stride(from: 4, to: section.count, by: 8).map { section.integer(at: $0) })
                } ?? []
            cities = known
            return known.contains(UInt32(place))
        }
    }

    /// Nil if the index has no place of the region.
    func extent(of target: ForwardTarget) -> RegionExtent? {
        switch target {
        case .place(let place):
            return RegionExtent(
                coordinate: coordinate(ofPlace: place), radiusMetres: radiusMetres(ofPlace: place))
        case .country, .admin1, .admin2:
            return regionExtents.withLock { extents in
                if extents == nil { extents = makeExtents() }
                return extents?[target]
            }
        }
    }

    /// The extents of all regions, in three walks over the places: some 50 ms, once for an index.
    private func makeExtents() -> [ForwardTarget: RegionExtent] {
        var extents: [ForwardTarget: ExtentDraft] = [:]
        let count = places.count / PlaceRecord.size
        for place in 0..<count {
            let point = UnitVector(coordinate(ofPlace: place))
            let weight = Double(population(ofPlace: place)) + 1
            for region in regions(ofPlace: place) {
                extents[region, default: ExtentDraft()].add(point, weight)
            }
        }
        for place in 0..<count {
            let point = UnitVector(coordinate(ofPlace: place))
            for region in regions(ofPlace: place) { extents[region]?.choose(place, at: point) }
        }
        for place in 0..<count {
            let point = UnitVector(coordinate(ofPlace: place))
            for region in regions(ofPlace: place) { extents[region]?.reach(point) }
        }
        return extents.mapValues { draft in
            RegionExtent(
                coordinate: coordinate(ofPlace: draft.middle),
                radiusMetres: max(
                    Sphere.arcMetres(squaredChord: draft.farthest), Self.smallestRadiusMetres))
        }
    }

    private func regions(ofPlace place: Int) -> [ForwardTarget] {
        var regions: [ForwardTarget] = [.country(Int(country(ofPlace: place)))]
        let division = admin1(ofPlace: place)
        if division != IndexFormat.none16 { regions.append(.admin1(Int(division))) }
        if let county = admin2(ofPlace: place) { regions.append(.admin2(county)) }
        return regions
    }
}

/// An extent while the places are walked over.
private struct ExtentDraft {
    var sum = UnitVector(x: 0, y: 0, z: 0)
    var middle = 0
    private var point: UnitVector?
    private var nearest = Double.infinity
    var farthest = 0.0

    mutating func add(_ point: UnitVector, _ weight: Double) {
        sum.x += point.x * weight
        sum.y += point.y * weight
        sum.z += point.z * weight
    }

    /// Takes the place if it is nearer to the mean. Only the mean's direction matters: the nearest point has the
    /// largest product with it. Of places at one distance, the first one counts.
    mutating func choose(_ place: Int, at point: UnitVector) {
        let distance = -(point.x * sum.x + point.y * sum.y + point.z * sum.z)
        guard distance < nearest else { return }
        (nearest, middle, self.point) = (distance, place, point)
    }

    mutating func reach(_ point: UnitVector) {
        farthest = max(farthest, self.point?.squaredChord(to: point) ?? 0)
    }
}

extension Gazetteer {
    /// The middle and radius of a division: see `RegionExtent`.
    package func extent(ofAdmin1 number: Int) -> (coordinate: Coordinate, radiusMetres: Double)? {
        extent(of: .admin1(number)).map { ($0.coordinate, $0.radiusMetres) }
    }

    /// Every country and first-level division, by number.
    package var regions: (countries: [Country], admin1s: [(admin1: Admin1, country: Country)]) {
        (
            (0..<countries.count / CountryRecord.size).compactMap { country(UInt16($0)) },
            (0..<admin1s.count / Admin1Record.size).compactMap { number in
                admin1(UInt16(number)).flatMap { admin1 in
                    country(country(ofAdmin1: UInt16(number))).map { (admin1, $0) }
                }
            }
        )
    }
}
