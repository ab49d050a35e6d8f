package import Gazetteer

extension Gazetteer {
    /// Coordinates of the most populous places, the largest first.
    package func largestPlaces(_ count: Int) -> [Coordinate] {
        (0..<info.placeCount).map { (population(ofPlace: $0), $0) }.sorted { $0.0 > $1.0 }.prefix(count)
            .map { coordinate(ofPlace: $0.1) }
    }
}
