import Gazetteer
import Glibc
import TestKit
import Testing

@Suite("The grid of published coordinates", .computing)
struct GridTests {
    static let cells = [10.0, 100, 1_000, 100_000]

    /// All over the Earth, with many near the poles, near the antimeridian and on edges of cells.
    static func points(_ random: inout SplitMix, count: Int) throws -> [Coordinate] {
        try (0..<count).map { round in
            switch round % 6 {
            case 0: try coordinate(90 - abs(random.degrees(1e-3)), random.degrees(180))
            case 1: try coordinate(-90 + abs(random.degrees(0.02)), random.degrees(180))
            case 2: try coordinate(random.degrees(90), 180 - abs(random.degrees(1e-4)))
            case 3: try coordinate(random.degrees(90), -180 + abs(random.degrees(1e-4)))
            case 4: try coordinate(random.degrees(1e-4), random.degrees(180))
            default: try coordinate(random.degrees(90), random.degrees(180))
            }
        }
    }

    @Test("moves no point by more than half a cell's diagonal", arguments: cells)
    func displacement(cell: Double) throws {
        var random = SplitMix(state: 11)
        let grid = CoordinateGrid(cellMetres: cell)
        var farthest = 0.0
        for point in try Self.points(&random, count: 60_000) {
            farthest = max(farthest, point.distance(to: grid.centre(of: point)))
        }
        // The rounding of a centre moves it by up to 8 mm.
        #expect(farthest <= cell / 2.0.squareRoot() + 0.01)
        #expect(farthest > cell * 0.69, "cells are hardly smaller than asked for")
    }

    @Test("leaves a centre where it is", arguments: cells)
    func idempotence(cell: Double) throws {
        var random = SplitMix(state: 12)
        let grid = CoordinateGrid(cellMetres: cell)
        for point in try Self.points(&random, count: 60_000) {
            let centre = grid.centre(of: point)
            let isOwn = grid.centre(of: centre) == centre
            #expect(isOwn, "\(point)")
        }
    }

    /// The area hides the location: a cell must not narrow to a sliver.
    @Test("has cells of nearly the same size at every latitude", arguments: [0.0, 30, 60, 80, 89])
    func area(latitude: Double) throws {
        let (cell, samples) = (1_000.0, 40_000)
        var random = SplitMix(state: 13)
        let grid = CoordinateGrid(cellMetres: cell)
        let width = 0.5 / cos(latitude * .pi / 180)
        var centres: Set<Coordinate> = []
        for _ in 0..<samples {
            centres.insert(
                grid.centre(of: try coordinate(latitude + random.degrees(0.25), random.degrees(width / 2))))
        }
        // About 55.6 km by 55.6 km; cells stick out at the edges.
        let expected = 55.6 * 55.6
        #expect(Double(centres.count) > expected * 0.95 && Double(centres.count) < expected * 1.12)
    }

    @Test("has one result for a pole at any longitude, and one for both longitudes of the antimeridian")
    func seams() throws {
        for cell in Self.cells {
            let grid = CoordinateGrid(cellMetres: cell)
            for pole in [90.0, -90] {
                let answers = Set(
                    try [-180.0, -90, 0, 0.1, 179.9, 180].map { grid.centre(of: try coordinate(pole, $0)) })
                #expect(answers == [try coordinate(pole, 0)])
            }
            for latitude in [-89.9, -45, 0, 12.345, 89.9] {
                let (east, west) = (try coordinate(latitude, 180), try coordinate(latitude, -180))
                #expect(grid.centre(of: east) == grid.centre(of: west))
            }
        }
    }

    @Test("gives all points of a cell one result, so that many photos of a spot reveal no more than one")
    func averaging() throws {
        var random = SplitMix(state: 14)
        let grid = CoordinateGrid(cellMetres: 100)
        for point in try Self.points(&random, count: 600) where abs(point.latitude) < 89 {
            let centre = grid.centre(of: point)
            // Within 45 m of the centre to the north, east, south and west the result is the same.
            for (north, east) in [(45.0, 0.0), (-45, 0), (0, 45), (0, -45)] {
                let latitude = centre.latitude + north / 111_195
                var longitude = centre.longitude + east / (111_195 * cos(centre.latitude * .pi / 180))
                if longitude > 180 { longitude -= 360 }
                if longitude < -180 { longitude += 360 }
                let answer = grid.centre(of: try coordinate(latitude, longitude))
                #expect(answer == centre)
            }
        }
    }
}
