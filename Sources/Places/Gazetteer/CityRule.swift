import Glibc

/// Decides which places and points are part of a city.
///
/// A city's radius follows from its inhabitants. It was measured on the 771 sections (PPLX) in GeoNames' cities15000 of
/// March 2026 whose finest administrative code is also that of a larger place: three quarters of them lie within
/// 0.0083 km × √population of it (7.2 km for cities of 0.5 to 1 million, 10.0 km for 1 to 2 million, 14.0 km for 2 to 5
/// million). So a million inhabitants give 8.3 km, ten million 26 km.
///
/// A place belongs to a city of the same country and divisions (if both tables have them) if it lies within
/// `partShare` of the city's radius, and the city is eight times as large. A city of at least five million may have
/// boroughs, which are as large as cities, if it consists of them (`boroughCities()`), is in no division, as Hong Kong is,
/// or is nearly all of its division, or if both are listed in one division of the second level.
///
/// A place with the city's name in front, such as Zürich (Kreis 10), belongs to it within twice the radius, and so does
/// one in a division that is little but the city (`CityDivisions`): Spandau is 14.6 km from the centre of Berlin. A
/// country's capital is never part of another city. Of several cities the one wins whose radius the place uses least of.
/// A section belongs to a larger place within 40 km anyway; if there is none in its divisions, and it has 10,000
/// inhabitants and more than the nearest place, it is a place of its own, like Sunbury near Melbourne.
///
/// A place reaches as far as its radius, and at least `leastReach`: a village keeps its own surroundings. A point
/// beyond the reach of the nearest place belongs to the city of the same division whose radius it uses least of, up to
/// `pointShare`, if it uses less of it than of the place's reach: the University of Washington is nearer to Greenwood,
/// but in Seattle.
///
/// The shares were chosen on 143 campuses and landmarks of 72 cities and on 132 suburbs that are towns of their own:
/// 137 and 111 are right, compared with 123 and 80 of 98 if the nearest place alone decides. Of 101 points of 74 other
/// cities 90 are. The least reach was chosen on points 300 m, 700 m and 1.5 km from every place. The rule is wrong for
/// suburbs that are separate towns close to a metropolis (Boulogne-Billancourt near Paris); second-level divisions in the
/// table of places prevent most of these. Without them, Soweto and Bao'an are cities next to Johannesburg and Shenzhen.
enum CityRule {
    static let radiusFactor = 8.3
    /// Smaller cities have no parts except sections.
    static let smallestCity: UInt32 = 50_000
    static let smallestParent: UInt32 = 10_000
    static let sectionReachMetres = 40_000.0
    /// How much of a city's radius its parts, those with its name, and points may use.
    static let partShare = 0.8
    static let namedShare = 2.0
    static let pointShare = 2.0
    /// No place of its own reaches less far than this, in metres.
    static let leastReach = 1_250.0
    /// Only such a city can have boroughs, which are as large as cities.
    static let smallestWithBoroughs: UInt32 = 5_000_000

    /// Metres.
    static func radius(population: UInt32) -> Double {
        radiusFactor * Double(population).squareRoot()
    }

    static func isMuchLarger(_ city: UInt32, than place: UInt32) -> Bool {
        city >= smallestCity && city / 8 >= place
    }

    /// Whether a place has a borough's share of a city: between an eighth and a third.
    static func isBoroughSized(_ place: UInt32, of city: UInt32) -> Bool {
        city >= smallestWithBoroughs && city / 3 >= place && city / 8 < place
    }

    /// Whether a name begins with a city's name, as a word of its own.
    static func hasPrefix(_ name: UnsafeRawBufferPointer, nameOf city: UnsafeRawBufferPointer) -> Bool {
        guard name.count > city.count, !city.isEmpty, name.prefix(city.count).elementsEqual(city) else {
            return false
        }
        let next = name[city.count]
        return next < 0x80 && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next | 0x20)
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
        let divisions = cityDivisions()
        let boroughCities = boroughCities()
        var direct: [Int: Int] = [:]
        // No place, except sections, needs to look farther than the largest city's radius.
        let largest = parents.reduce(0) { max($0, places[$1.place].population) }
        for index in places.indices where !capitals.contains(UInt32(index)) {
            let reach =
                places[index].isSection
                ? CityRule.sectionReachMetres : CityRule.radius(population: largest) * CityRule.namedShare
            if let city = nearest(to: index, among: parents, reach, divisions, boroughCities) {
                direct[index] = city
            }
        }
        return direct.keys.sorted().map { place in
            // Each city is more populous than the one before, so this ends.
            var city = direct[place] ?? place
            while let next = direct[city] { city = next }
            return (place, city)
        }
    }

    /// The city with the smallest ratio of the place's distance to the city's radius.
    private func nearest(
        to index: Int, among parents: [Center], _ reach: Double, _ divisions: [UInt16: Int],
        _ boroughCities: Set<Int>
    ) -> Int? {
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
            guard min(apart, turn - apart) <= width, center.place != index,
                let share = largestShare(
                    place, of: city, isCityDivision: divisions[place.admin1] == center.place,
                    hasBoroughs: boroughCities.contains(center.place))
            else { continue }
            let metres = city.coordinate.distance(to: here)
            let radius = CityRule.radius(population: city.population)
            guard metres <= (place.isSection ? CityRule.sectionReachMetres : radius * share) else { continue }
            if metres / radius < best?.share ?? .infinity { best = (center.place, metres / radius) }
        }
        return best?.city
    }

    /// How much of a city's radius a place may use and belong to it; nil if it cannot.
    private func largestShare(
        _ place: PlaceDraft, of city: PlaceDraft, isCityDivision: Bool, hasBoroughs: Bool
    ) -> Double? {
        guard city.country == place.country, city.population > place.population else { return nil }
        if city.population >= CityRule.smallestCity, CityRule.hasPrefix(place.name, nameOf: city.name) {
            return CityRule.namedShare
        }
        let isListedTogether = !city.admin2.isEmpty && city.admin2.elementsEqual(place.admin2)
        let isInNoDivision = city.admin1 == IndexFormat.none16
        let isBorough =
            (isCityDivision || hasBoroughs || isListedTogether || isInNoDivision)
            && CityRule.isBoroughSized(place.population, of: city.population)
        guard
            place.isSection || isBorough
                || CityRule.isMuchLarger(city.population, than: place.population)
        else { return nil }
        let none = IndexFormat.none16
        guard city.admin1 == place.admin1 || city.admin1 == none || place.admin1 == none else { return nil }
        let isSame = isListedTogether || city.admin2.isEmpty || place.admin2.isEmpty
        guard isSame || isCityDivision else { return nil }
        return isCityDivision ? CityRule.namedShare : CityRule.partShare
    }

    /// The cities that consist of boroughs: places within them that are as large as boroughs have at least two fifths of
    /// their inhabitants. New York's have 90 %, Shanghai's 50 %; Thāne and Navi Mumbai, next to Mumbai, have 35 % of its.
    private func boroughCities() -> Set<Int> {
        let large = places.indices.filter {
            !places[$0].isSection && places[$0].population > CityRule.smallestWithBoroughs / 8
        }
        return Set(
            large.filter { index in
                let city = places[index]
                let reach = CityRule.radius(population: city.population) * CityRule.partShare
                let people = large.reduce(0) { sum, other in
                    let place = places[other]
                    let isInside =
                        CityRule.isBoroughSized(place.population, of: city.population)
                        && place.country == city.country && place.admin1 == city.admin1
                        && place.coordinate.distance(to: city.coordinate) <= reach
                    return isInside ? sum + Int(place.population) : sum
                }
                return people * 5 >= Int(city.population) * 2
            })
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

    func localitySection() -> SectionBytes { byLatitude(places.indices.filter { places[$0].isSection }) }

    func cityCentreSection() -> SectionBytes {
        byLatitude(
            places.indices.filter { !places[$0].isSection && places[$0].population >= CityRule.smallestCity })
    }

    /// The numbers of places, sorted by latitude, then number.
    private func byLatitude(_ numbers: [Int]) -> SectionBytes {
        var section = SectionBytes()
        for index in numbers.sorted(by: { (places[$0].latitude, $0) < (places[$1].latitude, $1) }) {
            section.append(UInt32(index))
        }
        return section
    }
}
