/// Answers as `Gazetteer.reverse(_:)` does, by looking at every edge and every place.
///
/// It takes milliseconds a point and is there to check the trees and cells, of which it uses none: edges
/// count by the even-odd rule over the whole planet, and what a place says comes from its own record.
package struct ExhaustiveSearch: Sendable {
    private let gazetteer: Gazetteer
    /// By region.
    private let edges: [BorderMap.Edge]
    private let vectors: [UnitVector]

    package init(_ gazetteer: Gazetteer) {
        self.gazetteer = gazetteer
        edges = (gazetteer.countryBorders?.allEdges() ?? []).sorted { $0.region < $1.region }
        vectors = (0..<gazetteer.header.treePlaceCount).map { UnitVector(gazetteer.coordinate(ofPlace: $0)) }
    }

    /// Edges of all borders, each region's own.
    package var edgeCount: Int { edges.count }

    package func reverse(_ coordinate: Coordinate) -> ReverseAnswer {
        let target = UnitVector(coordinate)
        guard gazetteer.countryBorders != nil else {
            let found = nearest(target, within: Gazetteer.squaredPlaceCap) { _, _ in true }
            return gazetteer.answer(found.map { country(of: $0) }, found, .nearestPlace)
        }
        if let region = region(containing: coordinate) {
            return answer(inside: region, target, .insideBorder)
        }
        if let near = nearestBorder(coordinate) {
            return answer(inside: near.region, target, .nearBorder(metres: near.metres))
        }
        let island = nearest(target, within: Gazetteer.squaredBorderCap) { place, _ in
            gazetteer.polygon(ofPlace: place) == IndexFormat.none16
        }
        return gazetteer.answer(island.map { country(of: $0) }, island, .nearestPlace)
    }

    private func country(of nearest: PlaceTree.Nearest) -> UInt16 {
        gazetteer.country(ofPlace: nearest.point.place)
    }

    private func answer(
        inside region: UInt16, _ target: UnitVector, _ certainty: ReverseAnswer.Certainty
    ) -> ReverseAnswer {
        let found = nearest(target, within: Gazetteer.squaredPlaceCap) { speaks($0, $1, for: region) }
        let witness =
            found == nil && gazetteer.hasOverruledLand(country: region)
            ? nearest(target, within: .infinity) { speaks($0, $1, for: region) } : found
        guard let witness, gazetteer.polygonRule(ofPlace: witness.point.place) != .agrees,
            country(of: witness) != region
        else { return gazetteer.answer(region, found, certainty) }
        return gazetteer.answer(country(of: witness), found, .nearestPlace)
    }

    /// Whether a place belongs to what a polygon encloses: its country's, or one that overrules it.
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
    ) -> PlaceTree.Nearest? {
        var best: PlaceTree.Nearest?
        for (place, vector) in vectors.enumerated() {
            let chord = vector.squaredChord(to: target)
            guard chord <= best?.squaredChord ?? cap, isIncluded(place, chord) else { continue }
            if let best, best.squaredChord == chord,
                gazetteer.geonameid(ofPlace: best.point.place) < gazetteer.geonameid(ofPlace: place)
            {
                continue
            }
            best = PlaceTree.Nearest(point: PlacePoint(place: place), squaredChord: chord)
        }
        return best
    }

    private func region(containing coordinate: Coordinate) -> UInt16? {
        let (x, y) = BorderMap.scaled(coordinate)
        var inside: UInt16?
        var isOdd = false
        var region = IndexFormat.none16
        for edge in edges {
            if edge.region != region {
                if isOdd { inside = min(inside ?? .max, region) }
                region = edge.region
                isOdd = false
            }
            guard (edge.y1 > y) != (edge.y2 > y) else { continue }
            let left = (x - edge.x1) * (edge.y2 - edge.y1)
            let right = (edge.x2 - edge.x1) * (y - edge.y1)
            if edge.y2 > edge.y1 ? left < right : left > right { isOdd.toggle() }
        }
        if isOdd { inside = min(inside ?? .max, region) }
        return inside
    }

    private func nearestBorder(_ coordinate: Coordinate) -> BorderMap.Near? {
        let (x, y) = BorderMap.scaled(coordinate)
        var search = BorderMap.NearSearch(coordinate, within: Gazetteer.borderCapMetres, region: nil)
        let reach = Int(search.limit.squareRoot()) + 1
        let turn = 360 * Int(IndexFormat.degreeScale)
        for edge in edges where min(edge.y1, edge.y2) - y <= reach && y - max(edge.y1, edge.y2) <= reach {
            for shift in [0, turn, -turn] {
                search.weigh(
                    edge.x1 - x + shift, edge.y1 - y, edge.x2 - x + shift, edge.y2 - y, edge.region)
            }
        }
        return search.near
    }
}
