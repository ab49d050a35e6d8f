import ChildProcess
import FoundationEssentials
import TestKit
import Testing

@Suite("The demo's page", .timeLimit(.minutes(15)))
struct DemoTests {
    @Test("escapes the uploaders' texts, and contains its pictures")
    func gallery() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            try Data([0xFF, 0xD8, 0xFF, 0xD9]).write(to: URL(filePath: root + "/a.jpg"))
            let place = ["1", "X", "X", "", "10.0", "20.0"] + Array(repeating: "", count: 13)
            try Data((place.joined(separator: "\t") + "\n").utf8).write(
                to: URL(filePath: root + "/places.txt"))
            let pictures = ["square", "medium"].map { #"{"name":"\#($0)","path":"a.jpg"}"# }.joined(
                separator: ",")
            let post = #"""
                {"post_id":7,"headline":"<script>alert(1)</script>","caption":null,"latitude":10,"longitude":20,
                "location_source":"exif","place":{"name":"\"><img src=x>"},"division":null,"country":null,
                "taken_at":null,"taken_at_local":null,"width":4,"height":3,"format":"jpeg","stripped":["EXIF"],
                "renditions":[\#(pictures)]}
                """#.split(separator: "\n").joined()
            try Data(post.utf8).write(to: URL(filePath: root + "/posts.jsonl"))
            let python = try #require(ChildProgram.find("python3"))
            let script = """
                exec "$0" "$1" --media . --places places.txt --output page.html < posts.jsonl
                """
            try await ChildProgram(
                "/bin/sh", ["-c", script, python, Checkout.root + "/demo/gallery"],
                workingDirectory: root
            ).runSuccessfully()
            let bytes = try #require(FileManager.default.contents(atPath: root + "/page.html"))
            let page = String(decoding: bytes, as: UTF8.self)
            #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(!page.contains("<script") && !page.contains("<img src=x"))
            #expect(page.contains("data:image/jpeg;base64,/9j/2Q=="))
            #expect(page.contains("M400 160.5h1"), "the one place is on the map")
            #expect(!page.contains("src=\"http"))
        }
    }
}
