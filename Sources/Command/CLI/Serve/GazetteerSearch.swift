import API
import Arguments
import Gazetteer
import Threads

/// The places of the gazetteer, for the HTTP API.
struct GazetteerSearch: PlaceSearch {
    let gazetteers: GazetteerHandle
    private let maps = LandMaps()

    init(gazetteers: GazetteerHandle) { self.gazetteers = gazetteers }

    func find(
        _ text: String, latitude: Double?, longitude: Double?, country: String?, limit: Int
    ) async throws -> [String] {
        let near = latitude.flatMap { latitude in
            longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) }
        }
        return gazetteers.current.suggest(text, near: near, country: country, limit: limit).map(\.json.line)
    }

    func place(latitude: Double, longitude: Double) async throws -> String {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw Problem(.invalidArgument, "There is no such position.", argument: "latitude")
        }
        return gazetteers.current.reverse(coordinate).json(at: coordinate, language: nil).line
    }

    func borders(zoom: Int, x: Int, y: Int) async throws -> (version: String, json: String) {
        let gazetteer = gazetteers.current
        let shapes = try await maps.map(of: gazetteer).tile(zoom: zoom, x: x, y: y)
        let items = shapes.map { shape in
            JSON.object([
                ("country", .string(shape.country.code)), ("name", .string(shape.country.name)),
                ("rings", .array(shape.rings.map { .array($0.map { .number($0) }) })),
            ])
        }
        return (gazetteer.checksum, JSON.object([("items", .array(items))]).line)
    }
}

/// The map of the gazetteer that is in use, made when the first reader asks for it.
private actor LandMaps {
    private var made: (identity: UInt64, map: Task<LandMap, any Error>)?

    func map(of gazetteer: Gazetteer) async throws -> LandMap {
        if let made, made.identity == gazetteer.identity { return try await made.map.value }
        let map = Task { try await onThread { LandMap(of: gazetteer) } }
        made = (gazetteer.identity, map)
        return try await map.value
    }
}
