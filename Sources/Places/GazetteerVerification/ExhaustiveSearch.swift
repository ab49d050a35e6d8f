package import Gazetteer

/// Gives the same answers as `Gazetteer.reverse(_:)` by examining every edge and every place.
///
/// It takes milliseconds per point. It exists to check the trees and cells, none of which it uses: edges
/// count by the even-odd rule over the whole planet, and facts about a place come from its own record.
package struct ExhaustiveSearch: Sendable {
    private let gazetteer: Gazetteer
    /// By region.
    private let edges: [BorderMap.Edge]
    private let vectors: [UnitVector]
    private let firstDivision: UInt16

    package init(_ gazetteer: Gazetteer) {
        self.gazetteer = gazetteer
        edges = (gazetteer.borders?.allEdges() ?? []).sorted { $0.region < $1.region }
        vectors = (0..<gazetteer.info.placeCount).map { UnitVector(gazetteer.coordinate(ofPlace: $0)) }
        firstDivision = gazetteer.borders?.firstDivision ?? 0
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
        if let near = nearestBorder(coordinate, where: gazetteer.isCountry) {
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
        let found = nearest(target, within: cap) { speaks($0, $1, for: polygon) }
        let witness =
            found == nil && gazetteer.hasFlag(CountryRecord.Flag.hasOverruledLand, country: polygon)
            ? nearest(target, within: .infinity) { speaks($0, $1, for: polygon) } : found
        let isOverruled = witness.map {
            gazetteer.polygonRule(ofPlace: $0) != .agrees && country(of: $0) != polygon
        }
        guard let witness, isOverruled == true else {
            let division = division(ofCountry: polygon, coordinate, regions)
            let own = { (place: Int) in
                country(of: place) == polygon && gazetteer.polygonRule(ofPlace: place) != .overrules
            }
            let place = division.flatMap { division in
                nearest(target, within: cap) { place, _ in
                    own(place) && gazetteer.admin1(ofPlace: place) == division.index
                }
            }
            return gazetteer.answer(coordinate, target, polygon, division, place ?? found, certainty)
        }
        let division = division(ofCountry: country(of: witness), coordinate, regions)
        let place = division.flatMap { division in
            nearest(target, within: cap) { place, chord in
                speaks(place, chord, for: polygon) && country(of: place) != polygon
                    && gazetteer.admin1(ofPlace: place) == division.index
            }
        }
        return gazetteer.answer(
            coordinate, target, country(of: witness), division, found == nil ? nil : place ?? found,
            .nearestPlace)
    }

    private func division(ofCountry country: UInt16, _ coordinate: Coordinate, _ regions: [UInt16])
        -> Gazetteer.Division?
    {
        let isOwn = { (region: UInt16) in
            region >= firstDivision && gazetteer.country(ofAdmin1: region - firstDivision) == country
        }
        if let region = regions.first(where: isOwn) { return (region - firstDivision, .insideBorder) }
        return nearestBorder(coordinate, where: isOwn)
            .map { ($0.region - firstDivision, .nearBorder(metres: $0.metres)) }
    }

    /// Whether a place belongs to a polygon: it is in the polygon's country, or overrules it.
    private func speaks(_ place: Int, _ squaredChord: Double, for region: UInt16) -> Bool {
        let isOwn = gazetteer.country(ofPlace: place) == region
        let liesInside = gazetteer.polygon(ofPlace: place) == region
        return switch gazetteer.polygonRule(ofPlace: place) {
        case .agrees: isOwn
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
            if let best, best.chord == chord,
                gazetteer.geonameid(ofPlace: best.place) < gazetteer.geonameid(ofPlace: place)
            {
                continue
            }
            best = (place, chord)
        }
        return best?.place
    }

    /// In order.
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
        return inside
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
