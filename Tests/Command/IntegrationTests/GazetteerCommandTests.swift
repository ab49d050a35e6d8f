import ChildProcess
import FoundationEssentials
import TestKit
import Testing

@Suite("The gazetteer from the command line", .timeLimit(.minutes(15)))
struct GazetteerCommandTests {
    @Test("prints results for lines of coordinates in their order, with null for absent parts")
    func reverseStream() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let points = try darkroom.write(
                Array("47.6\t-122.3\n-45\t-120\n-33.9\t18.4\n".utf8), to: "points.tsv")
            let shell = ChildProgram(
                "/bin/sh",
                [
                    "-c", "exec \"$0\" gazetteer reverse < \"$1\"", Checkout.programs + "/darkroom",
                    points,
                ],
                environment: darkroom.environment, workingDirectory: darkroom.root)
            let answers = try JSONObject.lines(try await shell.runSuccessfully().standardOutput)
            #expect(answers.map { $0.string("place", "name") } == ["Seattle", nil, "Cape Town"])
            #expect(answers.allSatisfy { $0.keys.isSuperset(of: ["country", "division", "place"]) })
            #expect(answers[1].isNull("country") && answers[1].isNull("place"))
            #expect(try #require(answers[0].number("place", "distance_m")) > 1000)
            let one = try await darkroom.json("gazetteer", "reverse", "-33.9", "18.4")
            #expect(one.first?.string("country", "code") == "ZA")
            let forward = try await darkroom.json("gazetteer", "forward", "Seattle, WA")
            #expect(forward.first?.string("result") == "match")
            _ = try darkroom.write(Array("47.6\t-122.3\n0\t181\n".utf8), to: "points.tsv")
            let wrong = try await shell.run()
            #expect(wrong.ending == .exited(1))
            #expect(wrong.standardError.contains("standard input:2:2: the longitude “181”"))
            #expect(try JSONObject.lines(wrong.standardOutput).count == 1)
            let truth = try darkroom.write(
                Array("lat\tlon\tcountry\n47.6\t-122.3\tUS\n-33.9\t18.4\tNA\n".utf8), to: "truth.tsv")
            let passed = try await darkroom.dev("gazetteer", "verify", "--at-least", "50", truth)
            #expect(passed.ending == .exited(0))
            #expect(passed.standardOutput.contains("country ZA, expected NA"))
            let failed = try await darkroom.dev("gazetteer", "verify", "--at-least", "country=51", truth)
            #expect(failed.ending == .exited(1))
            #expect(failed.standardError.contains("country: 1 of 2 right"))
            let nothing = try darkroom.write(Array("lat\tlon\tcountry\n".utf8), to: "nothing.tsv")
            let unasked = try await darkroom.dev("gazetteer", "verify", "--at-least", "50", nothing)
            #expect(unasked.ending == .exited(1))
            #expect(unasked.standardError.contains("the table asks no questions"))
        }
    }

    @Test("reports an endless line of a stream, and output that cannot be written")
    func brokenStream() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            func reverse(_ script: String) async throws -> ChildProgram.Output {
                try await ChildProgram(
                    "/bin/sh", ["-c", script, Checkout.programs + "/darkroom"],
                    environment: darkroom.environment, workingDirectory: darkroom.root
                ).run()
            }
            // More than one read returns; the first part alone would be a valid coordinate.
            let endless = "47.6\t-122.3\t" + String(repeating: "x", count: 200_000) + "\n47.6\t-122.3\n"
            _ = try darkroom.write(Array(endless.utf8), to: "endless.tsv")
            let long = try await reverse("exec \"$0\" gazetteer reverse < endless.tsv")
            #expect(long.ending == .exited(1) && long.standardOutput.isEmpty)
            #expect(long.standardError.contains("standard input:1:1: the line is longer"))
            _ = try darkroom.write(Array("47.6\t-122.3\n".utf8), to: "one.tsv")
            let full = try await reverse("exec \"$0\" gazetteer reverse < one.tsv > /dev/full")
            #expect(full.ending == .exited(1))
            #expect(full.standardError.contains("cannot write standard output: No space left"))
            let closed = try await reverse(
                "yes '47.6\t-122.3' | \"$0\" gazetteer reverse | head -n 1 > first; cat first")
            #expect(closed.ending == .exited(0))
            #expect(try JSONObject.lines(closed.standardOutput).count == 1)
        }
    }

    @Test("finds places by the text that people type, and scores a table of texts")
    func forward() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let typo = try #require(try await darkroom.json("gazetteer", "forward", "Seatle, WA").first)
            #expect(typo.string("result") == "match")
            #expect(typo.array("places").map { $0.string("agreement") } == ["corrected"])
            #expect(typo.string("message")?.contains("was read as Seattle") == true)
            let near = try await darkroom.json("gazetteer", "forward", "--near=47,-122", "Seattle")
            #expect(near.first?.isNull("message") == true)
            let elsewhere = try await darkroom.darkroom("gazetteer", "forward", "Seattle, South Africa")
            #expect(elsewhere.ending == .exited(1))
            #expect(elsewhere.standardError.contains("Did you mean Seattle"))
            let wrong = try await darkroom.darkroom("gazetteer", "forward", "--near=91,0", "Seattle")
            #expect(wrong.standardError.contains("write LAT,LON in degrees"))
            let reverse = try await darkroom.json(
                "gazetteer", "reverse", "--language", "de", "47.6", "-122.3")
            #expect(reverse.first?.string("city", "name") == "Seattle")
            #expect(reverse.first?.isNull("locality") == true)
            #expect(reverse.first?.string("names", "city") == "Seattle")
            let table = try darkroom.write(
                Array("text\tkind\tanswer\nSeattle\tplace\t5809844\nSeattle\tplace\t1\n".utf8), to: "f.tsv")
            let passed = try await darkroom.dev(
                "gazetteer", "verify", "--forward", table, "--at-least", "50")
            #expect(passed.ending == .exited(0))
            #expect(passed.standardOutput.contains("line 3\twrong\tSeattle\tmatch; 5809844"))
            let failed = try await darkroom.dev(
                "gazetteer", "verify", "--forward", table, "--at-least", "51")
            #expect(failed.ending == .exited(1))
            #expect(failed.standardError.contains("1 of 2 right, less than 51"))
        }
    }

    @Test("suggests places for a text that is still being typed")
    func suggest() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let typed = try await darkroom.json(
                "gazetteer", "suggest", "--near=47,-122", "--country", "us", "--limit", "1", "seatl, wash")
            let suggestions = try #require(typed.first?.array("suggestions"))
            #expect(suggestions.map { $0.string("label") } == ["Seattle, Washington, United States"])
            #expect(suggestions.map { $0.string("match") } == ["misspelt"])
            #expect(suggestions.map { $0.string("level") } == ["city"])
            #expect(suggestions.map { $0.string("country", "code") } == ["US"])
            let line = try await darkroom.darkroom("gazetteer", "suggest", "SEATT")
            #expect(line.standardOutput.hasPrefix("Seattle, Washington, United States\t47.6"))
            #expect(line.standardOutput.contains("\tcity\tbeginning\n"))
            let none = try await darkroom.darkroom("gazetteer", "suggest", "qqqq")
            #expect(none.ending == .exited(1))
            #expect(none.standardOutput.isEmpty)
            #expect(none.standardError.contains("No name begins with “qqqq”"))
            let many = try await darkroom.darkroom("gazetteer", "suggest", "--limit", "51", "sea")
            #expect(many.ending == .exited(64))
            let unknown = try await darkroom.darkroom("gazetteer", "suggest", "--country", "XX", "sea")
            #expect(unknown.standardError.contains("is not a country's code"))
        }
    }
}
