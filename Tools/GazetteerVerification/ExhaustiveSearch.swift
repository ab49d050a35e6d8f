package import Gazetteer

/// Returns the same as `Gazetteer.reverse(_:)` by examining every edge and every place.
///
/// It takes milliseconds per point. It exists to check the trees and cells, none of which it uses: edges
/// count by the even-odd rule over the whole planet, and facts about a place come from its own record.
package struct ExhaustiveSearch: Sendable {
    private let gazetteer: Gazetteer
    /// By region.
    private let edges: [BorderMap.Edge]
    private let vectors: [UnitVector]
    private let borders: BorderMap?

    package init(_ gazetteer: Gazetteer) {
        self.gazetteer = gazetteer
        borders = gazetteer.borders
        edges = (borders?.allEdges() ?? []).sorted { $0.region < $1.region }
        vectors = (0..<gazetteer.info.placeCount).map { UnitVector(gazetteer.coordinate(ofPlace: $0)) }
    }

    /// The edges of all borders, listed separately for each region.
    package var edgeCount: Int { edges.count }

    package func reverse(_ coordinate: Coordinate) -> ReverseAnswer {
        let target = UnitVector(coordinate)
        guard gazetteer.borders != nil else {
            let found = nearest(target, within: Gazetteer.squaredPlaceCap) { _, _ in true }
            return gazetteer.answer(coordinate, target, found.map(country), nil, found, .nearestPlace)
        }
        let regions = regions(containing: coordinate)
        if let area = regions.first, gazetteer.isCountry(area) {
            return answer(inside: area, coordinate, regions, .insideBorder)
        }
        if let near = nearestBorder(coordinate, where: gazetteer.endsAtCoast) {
            return answer(inside: near.region, coordinate, regions, .nearBorder(metres: near.metres))
        }
        let island = nearest(target, within: Gazetteer.squaredBorderCap) { place, _ in
            gazetteer.polygon(ofPlace: place) == IndexFormat.none16
        }
        return gazetteer.answer(coordinate, target, island.map(country), nil, island, .nearestPlace)
    }

    private func country(of place: Int) -> UInt16 { gazetteer.country(ofPlace: place) }

    private func answer(
        inside polygon: UInt16, _ coordinate: Coordinate, _ regions: [UInt16],
        _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        let target = UnitVector(coordinate)
        let cap = Gazetteer.squaredPlaceCap
        func answer(
            _ country: UInt16, _ division: Gazetteer.Division?, _ place: Int?,
            _ certainty: ReverseAnswer.Certainty
        ) -> ReverseAnswer {
            gazetteer.answer(coordinate, target, country, division, place, certainty)
        }
        let found = nearest(target, within: cap) { speaks($0, $1, for: polygon) }
        let farthest =
            found == nil && gazetteer.hasFlag(CountryRecord.Flag.hasOverruledLand, country: polygon)
                && !gazetteer.hasFlag(CountryRecord.Flag.hasWaters, country: polygon)
            ? nearest(target, within: .infinity) { speaks($0, $1, for: polygon) } : found
        if let witness = farthest, country(of: witness) != polygon {
            let division = division(ofCountry: country(of: witness), coordinate, regions)
            return answer(country(of: witness), found == nil ? division : nil, found, .nearestPlace)
        }
        guard let division = division(ofCountry: polygon, coordinate, regions) else {
            let near = found.flatMap { owns(polygon, $0) ? $0 : nil }
            return answer(polygon, near == nil ? farDivision(polygon, target) : nil, near, certainty)
        }
        let own = nearest(target, within: cap) { place, _ in
            owns(polygon, place) && gazetteer.admin1(ofPlace: place) == division.index
        }
        let home = own ?? nearest(target, within: cap) { place, _ in owns(polygon, place) }
        let best = nearest(target, within: cap) { place, chord in
            let reach = Gazetteer.strayRadius(population: gazetteer.population(ofPlace: place))
            return place == home
                || gazetteer.polygonRule(ofPlace: place) == .strays && country(of: place) == polygon
                    && chord <= Gazetteer.squaredChord(metres: reach)
        }
        guard let best, best != home else { return answer(polygon, division, home, certainty) }
        return answer(polygon, (gazetteer.admin1(ofPlace: best), .nearestPlace), best, certainty)
    }

    private func farDivision(_ country: UInt16, _ target: UnitVector) -> Gazetteer.Division? {
        guard gazetteer.hasFlag(CountryRecord.Flag.hasDivisionBorders, country: country),
            let place = nearest(target, within: .infinity, where: { place, _ in owns(country, place) }),
            gazetteer.admin1(ofPlace: place) != IndexFormat.none16
        else { return nil }
        return (gazetteer.admin1(ofPlace: place), .nearestPlace)
    }

    private func owns(_ country: UInt16, _ place: Int) -> Bool {
        self.country(of: place) == country && gazetteer.polygonRule(ofPlace: place) != .overrules
    }

    /// Nil if no polygon of a division is near, or if the one there mixes divisions.
    private func division(ofCountry country: UInt16, _ coordinate: Coordinate, _ regions: [UInt16])
        -> Gazetteer.Division?
    {
        guard gazetteer.hasFlag(CountryRecord.Flag.hasDivisionBorders, country: country) else { return nil }
        let own = { (region: UInt16) in
            borders?.division(ofRegion: region).flatMap {
                gazetteer.country(ofDivision: $0) == country ? $0 : nil
            }
        }
        var found: Gazetteer.Division?
        if let division = regions.lazy.compactMap(own).first {
            found = (division, .insideBorder)
        } else if let near = nearestBorder(coordinate, where: { own($0) != nil }),
            let division = own(near.region)
        {
            found = (division, .nearBorder(metres: near.metres))
        }
        return found.flatMap { gazetteer.isMixed($0.index) ? nil : $0 }
    }

    /// Whether a place belongs to a polygon: it is in the polygon's country, or overrules it.
    private func speaks(_ place: Int, _ squaredChord: Double, for region: UInt16) -> Bool {
        let isOwn = gazetteer.country(ofPlace: place) == region
        let liesInside = gazetteer.polygon(ofPlace: place) == region
        return switch gazetteer.polygonRule(ofPlace: place) {
        case .agrees, .strays: isOwn
        case .overrules: liesInside
        case .overrulesNearby: isOwn || (liesInside && squaredChord <= Gazetteer.squaredTownRadius)
        }
    }

    private func nearest(
        _ target: UnitVector, within cap: Double, where isIncluded: (Int, Double) -> Bool
    ) -> Int? {
        var best: (place: Int, chord: Double)?
        for (place, vector) in vectors.enumerated() {
            let chord = vector.squaredChord(to: target)
            guard chord <= best?.chord ?? cap, isIncluded(place, chord) else { continue }
            if let best, best.chord == chord, gazetteer.isPreferred(best.place, to: place) { continue }
            best = (place, chord)
        }
        return best?.place
    }

    /// Areas in the order of their precedence, then divisions.
    private func regions(containing coordinate: Coordinate) -> [UInt16] {
        let (x, y) = BorderMap.scaled(coordinate)
        var inside: [UInt16] = []
        var isOdd = false
        var region = IndexFormat.none16
        for edge in edges {
            if edge.region != region {
                if isOdd { inside.append(region) }
                region = edge.region
                isOdd = false
            }
            guard (edge.y1 > y) != (edge.y2 > y) else { continue }
            let left = (x - edge.x1) * (edge.y2 - edge.y1)
            let right = (edge.x2 - edge.x1) * (y - edge.y1)
            if edge.y2 > edge.y1 ? left < right : left > right { isOdd.toggle() }
        }
        if isOdd { inside.append(region) }
        func rank(_ region: UInt16) -> (UInt8, UInt16) {
            (borders?.isArea(region) ?? false ? gazetteer.precedence(ofArea: region) : .max, region)
        }
        return inside.sorted { rank($0) < rank($1) }
    }

    private func nearestBorder(_ coordinate: Coordinate, where fits: (UInt16) -> Bool) -> BorderMap.Near? {
        let (x, y) = BorderMap.scaled(coordinate)
        var search = BorderMap.NearSearch(coordinate, within: Gazetteer.borderCapMetres)
        let reach = Int(search.limit.squareRoot()) + 1
        let turn = 360 * Int(IndexFormat.degreeScale)
        for edge in edges where min(edge.y1, edge.y2) - y <= reach && y - max(edge.y1, edge.y2) <= reach {
            guard fits(edge.region) else { continue }
            for shift in [0, turn, -turn] {
                search.weigh(
                    edge.x1 - x + shift, edge.y1 - y, edge.x2 - x + shift, edge.y2 - y, edge.region)
            }
        }
        return search.near
    }
}
