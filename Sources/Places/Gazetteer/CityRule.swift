import Glibc

/// Decides which places are part of a city.
///
/// Measured on the 771 sections (PPLX) in GeoNames' cities15000 of March 2026 whose finest administrative
/// code is also that of a larger place: three quarters of them lie within 0.0083 km × √population of it (7.2 km
/// for cities of 0.5 to 1 million, 10.0 km for 1 to 2 million, 14.0 km for 2 to 5 million). This is used as a city's
/// radius: 8.3 km for a million inhabitants, 26 km for ten million.
///
/// A place within the radius of a city of the same country and divisions (if both tables have them) belongs to it if
/// the city is ten times as large, or three times as large with at least five million inhabitants: boroughs such as
/// Brooklyn are as large as cities. A country's capital is never part of another city. Of several
/// cities the one wins whose radius the place uses least of. A section belongs to a larger place within 40 km anyway.
///
/// The rule is wrong for suburbs that are separate towns in the county of a metropolis (Pasadena near Los Angeles).
/// If the table of places has no second-level divisions, it is wrong for more of them (Cambridge and Boston are in
/// different counties, Boulogne-Billancourt and Paris in different departments). It misses boroughs far out
/// (Etobicoke is 15 km from Toronto's centre).
enum CityRule {
    static let radiusFactor = 8.3
    /// Smaller cities have no parts except sections.
    static let smallestCity: UInt32 = 50_000
    static let smallestParent: UInt32 = 10_000
    static let sectionReachMetres = 40_000.0

    /// Metres.
    static func radius(population: UInt32) -> Double {
        radiusFactor * Double(population).squareRoot()
    }

    static func isMuchLarger(_ city: UInt32, than place: UInt32) -> Bool {
        city >= smallestCity && (city / 10 >= place || city >= 5_000_000 && city / 3 >= place)
    }
}

extension BuildState {
    private struct Center {
        var place: Int
        var latitude: Int32
        var longitude: Int32
    }

    /// The city of each place that belongs to one, sorted by the place's number.
    func cities() -> [(place: Int, city: Int)] {
        let parents = places.indices
            .filter { !places[$0].isSection && places[$0].population >= CityRule.smallestParent }
            .map { Center(place: $0, latitude: places[$0].latitude, longitude: places[$0].longitude) }
            .sorted { ($0.latitude, $0.place) < ($1.latitude, $1.place) }
        let capitals = Set(representatives().capitals)
        var direct: [Int: Int] = [:]
        // No place, except sections, needs to look farther than the largest city's radius.
        let largest = parents.reduce(0) { max($0, places[$1.place].population) }
        for index in places.indices where !capitals.contains(UInt32(index)) {
            let reach =
                places[index].isSection
                ? CityRule.sectionReachMetres : CityRule.radius(population: largest)
            if let city = nearest(to: index, among: parents, reach) { direct[index] = city }
        }
        return direct.keys.sorted().map { place in
            // Each city is more populous than the one before, so this ends.
            var city = direct[place] ?? place
            while let next = direct[city] { city = next }
            return (place, city)
        }
    }

    /// The city with the smallest ratio of the place's distance to the city's radius.
    private func nearest(to index: Int, among parents: [Center], _ reach: Double) -> Int? {
        let place = places[index]
        let here = place.coordinate
        let span = Int32(reach / 111_195 * IndexFormat.degreeScale) + 1
        let cosine = max(cos(here.latitude * .pi / 180), 0.01)
        let width = Int(Double(span) / cosine)
        var low = 0
        var high = parents.count
        while low < high {
            let middle = (low + high) / 2
            if parents[middle].latitude < place.latitude - span { low = middle + 1 } else { high = middle }
        }
        var best: (city: Int, share: Double)?
        while low < parents.count, parents[low].latitude <= place.latitude + span {
            let center = parents[low]
            low += 1
            let city = places[center.place]
            let turn = 360 * Int(IndexFormat.degreeScale)
            let apart = abs(Int(center.longitude) - Int(place.longitude))
            guard min(apart, turn - apart) <= width, center.place != index, isPart(place, of: city) else {
                continue
            }
            let metres = city.coordinate.distance(to: here)
            let radius = CityRule.radius(population: city.population)
            guard metres <= (place.isSection ? CityRule.sectionReachMetres : radius) else { continue }
            if metres / radius < best?.share ?? .infinity { best = (center.place, metres / radius) }
        }
        return best?.city
    }

    /// Whether sizes and divisions allow a place to belong to a city.
    private func isPart(_ place: PlaceDraft, of city: PlaceDraft) -> Bool {
        guard city.country == place.country, city.population > place.population,
            place.isSection || CityRule.isMuchLarger(city.population, than: place.population)
        else { return false }
        let none = IndexFormat.none16
        guard city.admin1 == place.admin1 || city.admin1 == none || place.admin1 == none else { return false }
        return city.admin2.isEmpty || place.admin2.isEmpty || city.admin2.elementsEqual(place.admin2)
    }

    /// Places and their cities, sorted by the places' numbers.
    func citySection() -> SectionBytes {
        var section = SectionBytes()
        for (place, city) in cities() {
            section.append(UInt32(place))
            section.append(UInt32(city))
        }
        return section
    }

    /// The numbers of sections of places, sorted by latitude, then number.
    func localitySection() -> SectionBytes {
        var section = SectionBytes()
        let sections = places.indices.filter { places[$0].isSection }
        for index in sections.sorted(by: { (places[$0].latitude, $0) < (places[$1].latitude, $1) }) {
            section.append(UInt32(index))
        }
        return section
    }
}
