import FoundationEssentials
import HTTPServer
import Pages
import TestKit
import Testing

@Suite("A folder of pages", .timeLimit(.minutes(15)))
struct PageFolderTests {
    /// A folder with a page, and with what must not be served.
    private static func with(_ body: (PageFolder, String) throws -> Void) async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            func write(_ name: String, _ text: String) throws {
                try Data(text.utf8).write(to: URL(filePath: "\(root)/\(name)"))
            }
            try FileManager.default.createDirectory(
                atPath: root + "/site/js", withIntermediateDirectories: true)
            try write("secret.json", "{}")
            try write("site/index.html", "<!doctype html>")
            try write("site/js/app.js", "1")
            try write("site/.hidden.json", "{}")
            try write("site/notes.txt", "for us")
            for (link, target) in [("link.json", "../secret.json"), ("up", "..")] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(root)/site/\(link)", withDestinationPath: target)
            }
            try body(try PageFolder(reading: [("", root + "/site"), ("lib", root + "/site/js")]), root)
        }
    }

    @Test("serves its files with a strict policy and an ETag")
    func files() async throws {
        try await Self.with { pages, _ in
            for (path, type) in [
                ([""], "text/html; charset=utf-8"), (["index.html"], "text/html; charset=utf-8"),
                (["js", "app.js"], "text/javascript; charset=utf-8"),
                (["lib", "app.js"], "text/javascript; charset=utf-8"),
            ] {
                let response = pages.respond(to: .get, path: path[...], known: nil)
                #expect(response.status == 200 && response.headers["Content-Type"] == type, "\(path)")
                let policy = try #require(response.headers["Content-Security-Policy"])
                #expect(
                    policy.hasPrefix("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"))
                #expect(response.headers["X-Content-Type-Options"] == "nosniff")
                let tag = try #require(response.headers["ETag"])
                for known in [tag, "W/\(tag)", "\"other\", \(tag)"] {
                    let again = pages.respond(
                        to: .get, path: path[...], known: known)
                    #expect(again.status == 304)
                }
            }
            #expect(pages.respond(to: .post, path: [""], known: nil).status == 405)
        }
    }

    @Test(
        "serves nothing else: no hidden files, no links, no other types, nothing above",
        arguments: [
            ["link.json"], ["up", "secret.json"], [".hidden.json"], ["notes.txt"], ["..", "secret.json"],
            ["js", "..", "index.html"], ["js"], ["js", ""], ["", "index.html"], ["../secret.json"],
            ["index.html\0"],
            ["index.html", ""], ["INDEX.HTML"],
        ])
    func others(path: [String]) async throws {
        try await Self.with { pages, _ in
            #expect(pages.respond(to: .get, path: path[...], known: nil).status == 404)
        }
    }

    @Test("needs an index.html, and is read once")
    func reading() async throws {
        try await Self.with { pages, root in
            #expect(throws: PageFolderError.self) { try PageFolder(reading: [("", root + "/site/js")]) }
            #expect(throws: PageFolderError.self) { try PageFolder(reading: [("", root + "/nowhere")]) }
            try FileManager.default.removeItem(atPath: root + "/site/index.html")
            #expect(pages.respond(to: .get, path: [""], known: nil).status == 200)
        }
    }
}
