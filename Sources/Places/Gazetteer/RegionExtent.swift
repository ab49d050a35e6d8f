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
        if population(ofPlace: place) >= Int(CityRule.smallestCity) { return true }
        guard let section = sections[.cities] else { return false }
        return stride(from: 4, to: section.count, by: 8).contains {
            section.integer(at: $0, as: UInt32.self) == place
        }
    }

    /// Nil if the index has no place of the region.
    func extent(of target: ForwardTarget) -> RegionExtent? {
        switch target {
        case .place(let place):
            return RegionExtent(
                coordinate: coordinate(ofPlace: place), radiusMetres: radiusMetres(ofPlace: place))
        case .country(let number): return extent { self.country(ofPlace: $0) == number }
        case .admin1(let number): return extent { self.admin1(ofPlace: $0) == number }
        case .admin2(let number): return extent { self.admin2(ofPlace: $0) == number }
        }
    }

    private func extent(of isMember: (Int) -> Bool) -> RegionExtent? {
        let members = (0..<places.count / PlaceRecord.size).filter(isMember)
        guard let first = members.first else { return nil }
        let points = members.map { UnitVector(coordinate(ofPlace: $0)) }
        var sum = UnitVector(x: 0, y: 0, z: 0)
        for (member, point) in zip(members, points) {
            let weight = Double(population(ofPlace: member)) + 1
            sum.x += point.x * weight
            sum.y += point.y * weight
            sum.z += point.z * weight
        }
        let length = (sum.x * sum.x + sum.y * sum.y + sum.z * sum.z).squareRoot()
        let mean =
            length > 0 ? UnitVector(x: sum.x / length, y: sum.y / length, z: sum.z / length) : points[0]
        let nearest = points.indices.min {
            (points[$0].squaredChord(to: mean), geonameid(ofPlace: members[$0]))
                < (points[$1].squaredChord(to: mean), geonameid(ofPlace: members[$1]))
        }
        let middle = nearest.map { members[$0] } ?? first
        let centre = UnitVector(coordinate(ofPlace: middle))
        let farthest = points.reduce(0) { max($0, $1.squaredChord(to: centre)) }
        return RegionExtent(
            coordinate: coordinate(ofPlace: middle),
            radiusMetres: max(Sphere.arcMetres(squaredChord: farthest), Self.smallestRadiusMetres))
    }
}

extension Gazetteer {
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
