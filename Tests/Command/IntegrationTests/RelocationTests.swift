import ChildProcess
import Gazetteer
import Glibc
import Ingestion
import Postgres
import Posts
import TestKit
import Testing

@Suite("darkroom posts relocate", .timeLimit(.minutes(15)))
struct RelocationTests {
    @Test("names published posts by a new gazetteer, once, and keeps corrections by people")
    func renamed() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let seattle = try await darkroom.seed(8, at: (47.61, -122.33))
            let cape = try await darkroom.seed(2, at: (-33.92, 18.42))
            try await darkroom.database.pool.query(
                "update darkroom.posts set state = 'hidden' where post_id = \(seattle[0])")
            try await darkroom.database.pool.query(
                "update darkroom.posts set state = 'expired' where post_id = \(seattle[1])")
            try await darkroom.database.pool.query(
                "update darkroom.posts set state = 'removed' where post_id = \(seattle[3])")
            // The seeded posts have no places: the first relocation names them.
            let first = try await darkroom.relocate()
            #expect(first.number("posts") == 9 && first.number("place_changed") == 9)
            #expect(first.number("country_changed") == 9 && first.number("left") == 0)
            #expect(try await darkroom.relocate().number("posts") == 0, "they are done")

            try await darkroom.database.pool.query(
                "update darkroom.posts set place_source = 'person' where post_id = \(seattle[2])")
            let before = try await darkroom.rows()
            try await darkroom.rebuildGazetteer { $0.replacing("Seattle", with: "New Seattle") }
            let rehearsal = try await darkroom.relocate("--dry-run")
            #expect(rehearsal.number("place_changed") == 6 && rehearsal.number("posts") == 8)
            #expect(
                rehearsal.array("examples").map { $0.string("before") ?? "" }
                    == Array(repeating: "Seattle, Washington, United States", count: 6))
            #expect(
                rehearsal.array("examples").first?.string("after")
                    == "New Seattle, Washington, United States")
            #expect(try await darkroom.rows() == before, "nothing was changed")

            let second = try await darkroom.relocate("--batch", "3")
            #expect(second.number("posts") == 8 && second.number("place_changed") == 6)
            #expect(second.number("country_changed") == 0 && second.number("division_changed") == 0)
            #expect(second.number("coordinates_changed") == 0 && second.number("unchanged") == 2)
            let names = try await darkroom.names()
            for post in seattle {
                let expected = post == seattle[1] ? nil : post == seattle[2] ? "Seattle" : "New Seattle"
                #expect(names[post] == .some(expected), "post \(post)")
            }
            for post in cape { #expect(names[post] == "Cape Town") }
            let after = try await darkroom.rows()
            #expect(after[seattle[2]] == before[seattle[2]], "a corrected post does not change")
            #expect(after[seattle[1]] == before[seattle[1]], "nor does an expired one")
        }
    }

    @Test("takes only one country or one post on request")
    func scopes() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let seattle = try await darkroom.seed(3, at: (47.61, -122.33))
            _ = try await darkroom.seed(2, at: (-33.92, 18.42))
            #expect(try await darkroom.relocate("--post", "\(seattle[1])").number("posts") == 1)
            #expect(try await darkroom.names().values.compactMap(\.self) == ["Seattle"])
            _ = try await darkroom.relocate()
            try await darkroom.rebuildGazetteer {
                $0.replacing("e T", with: "etown T").replacing("Seattle", with: "S")
            }
            #expect(try await darkroom.relocate("--country", "za").number("place_changed") == 2)
            #expect(try await darkroom.relocate("--country", "ZA").number("posts") == 0)
            #expect(try await darkroom.relocate().number("posts") == 3)
            for (arguments, message) in [
                (["--country", "USA"], "two letters"), (["--post", "99"], "no post 99"),
                (["--batch", "0"], "outside"),
            ] {
                let output = try await darkroom.command(["posts", "relocate"] + arguments).run()
                #expect(output.ending != .exited(0) && output.standardError.contains(message))
            }
        }
    }

    @Test("applies a stricter policy to published posts, but no looser one")
    func policies() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let spot = (latitude: 47.61, longitude: -122.33)
            let posts = try await darkroom.seed(2, at: spot)
            try await darkroom.database.pool.query(
                "update darkroom.posts set category = 'home' where post_id = \(posts[1])")
            func set(_ columns: String, _ values: String) async throws {
                try await darkroom.database.pool.query(
                    "insert into darkroom.location_policies (note, \(unescaped: columns)) values ('test', \(unescaped: values))"
                )
            }
            func expect(_ cells: [Double]) async throws {
                let rows = try await darkroom.database.pool.query(
                    """
                    select p.latitude, p.longitude, e.latitude as exact_latitude, e.longitude as exact_longitude
                    from darkroom.posts p join darkroom.post_exact_locations e using (post_id) order by post_id
                    """)
                let exact = try #require(Coordinate(latitude: spot.latitude, longitude: spot.longitude))
                for (row, cell) in zip(rows, cells) {
                    let centre = CoordinateGrid(cellMetres: cell).centre(of: exact)
                    #expect(try row.decode("latitude", as: Double.self) == centre.latitude)
                    #expect(try row.decode("longitude", as: Double.self) == centre.longitude)
                    #expect(try row.decode("exact_latitude", as: Double.self) == spot.latitude)
                    #expect(try row.decode("exact_longitude", as: Double.self) == spot.longitude)
                }
            }
            // The seeded posts are like those of an older release: exact, and with no separate exact location.
            #expect(try await darkroom.relocate().number("coordinates_changed") == 2)
            try await expect([10, 10])
            try await set("category, privacy", "'home', 'grid_1km'")
            #expect(try await darkroom.relocate().number("coordinates_changed") == 1)
            try await expect([10, 1_000])
            try await set("privacy, minimum_population", "'grid_100m', 0")
            #expect(try await darkroom.relocate().number("coordinates_changed") == 1)
            try await expect([100, 1_000])
            try await set("privacy, minimum_population", "'exact', 0")
            try await set("category, privacy", "'home', 'exact'")
            let last = try await darkroom.relocate()
            #expect(last.number("posts") == 2 && last.number("coordinates_changed") == 0)
            try await expect([100, 1_000])
        }
    }

    @Test("never name a smaller place than before")
    func smallPlaces() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let post = try await darkroom.seed(1, at: (47.61, -122.33))[0]
            func set(_ people: Int) async throws {
                try await darkroom.database.pool.query(
                    "insert into darkroom.location_policies (privacy, minimum_population, note) values ('grid_10m', \(people), 'test')"
                )
                _ = try await darkroom.relocate()
            }
            try await set(500)
            #expect(try await darkroom.names() == [post: "Seattle"])
            try await set(1_000_000)
            #expect(try await darkroom.names() == [post: nil])
            try await set(0)
            #expect(try await darkroom.names() == [post: nil])
            // Nor with another gazetteer, under the same policy.
            try await darkroom.rebuildGazetteer { $0.replacing("Cape Town", with: "Kaapstad") }
            _ = try await darkroom.relocate()
            #expect(try await darkroom.names() == [post: nil])
        }
    }

    @Test("after a run is killed, another run does the rest", arguments: [SIGKILL, SIGINT])
    func interrupted(signal: Int32) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let posts = try await darkroom.seed(20, at: (47.61, -122.33))
            let pool = darkroom.database.pool
            try await pool.withTransaction { (holder: PostgresConnection) async throws -> Void in
                // Another transaction holds this post: the run does all others before it waits for it.
                try await holder.query(
                    "select from darkroom.posts where post_id = \(posts[10]) for update")
                let run = try OperatorProcess(darkroom, "posts", "relocate", "--batch", "4")
                try await until {
                    let rows = try await pool.query(
                        """
                        select count(*) as waiting from pg_stat_activity
                        where datname = current_database() and wait_event_type = 'Lock' and query like '%post_exact_locations%'
                        """)
                    return try rows[0].decode("waiting", as: Int.self) == 1
                }
                let named = try await darkroom.names()
                #expect(named.values.count { $0 == "Seattle" } == 19)
                #expect(named[posts[10]] == .some(nil))
                // The first SIGINT asks to stop after the batch, which never ends here; a further one ends the process.
                try await until {
                    run.send(signal)
                    return !isAlive(run.program.process)
                }
                let ending = try await run.end()
                #expect(ending == (signal == SIGKILL ? .killed(signal: SIGKILL) : .exited(128 + SIGINT)))
            }
            #expect(try await darkroom.relocate().number("posts") == 1)
            #expect(try await darkroom.names().values.allSatisfy { $0 == "Seattle" })
        }
    }

    @Test("shares the work with another run, while posts are published")
    func concurrent() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            _ = try await darkroom.seed(600, at: (47.61, -122.33))
            let gazetteer = try Gazetteer(path: darkroom.root + "/gazetteer.drg")
            let tallies = try await withThrowingTaskGroup(of: Relocation.Tally.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var tally = Relocation.Tally()
                        var relocation = Relocation(pool: darkroom.database.pool, gazetteer: gazetteer)
                        while let changes = try await relocation.next(atMost: 7) {
                            for change in changes { tally.count(change) }
                        }
                        return tally
                    }
                }
                for _ in 0..<20 { _ = try await darkroom.seed(1, at: (-33.92, 18.42)) }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let done = tallies.reduce(0) { $0 + $1.posts }
            #expect(done >= 600 && done <= 620, "no post twice")
            _ = try await darkroom.relocate()
            let names = try await darkroom.names().values
            #expect(names.count { $0 == "Seattle" } == 600 && names.count { $0 == "Cape Town" } == 20)
        }
    }
}
