import FoundationEssentials
import Ingestion
import TestKit
import Testing

/// What docs/one-photo.md promises: functions that there are, and the handler's stages in their order.
@Suite("The page on the way of a photo", .timeLimit(.minutes(15)))
struct OnePhotoPageTests {
    private static func text(_ path: String) throws -> String {
        let data = FileManager.default.contents(atPath: "\(Checkout.root)/\(path)")
        return String(decoding: try #require(data, "there is no \(path)"), as: UTF8.self)
    }

    @Test("names functions that their files define")
    func functions() throws {
        let links = try Self.text("docs/one-photo.md").matches(of: #/\[`(\w+)`\]\(\.\./([^)]+)\)/#)
        #expect(links.count > 50)
        for link in links {
            let (name, path) = (String(link.1), String(link.2))
            let source = try Self.text(path)
            let isDefined =
                path.hasSuffix(".sql")
                ? source.contains("function darkroom.\(name)(")
                : ["func \(name)(", "struct \(name)", "class \(name)", "enum \(name)", "extension \(name) "]
                    .contains {
                        source.contains($0)
                    }
            #expect(isDefined, "\(path) defines no \(name)")
        }
    }

    @Test("has the stages of a photo's job in their order")
    func stages() throws {
        let page = try Self.text("docs/one-photo.md")
        let table = try #require(page.split(separator: "| stage |").last?.split(separator: "\n\n").first)
        let rows = table.matches(of: #/\n\| (\w+) \|/#).map { String($0.1) }
        #expect(rows == JobDefinition.of(.ingest)?.stages)
        // And so has the handler: it enters one after the other.
        let handler = try Self.text("Sources/Posts/Ingestion/IngestHandler.swift")
        #expect(handler.matches(of: #/trace\.enter\("(\w+)"/#).map { String($0.1) } == rows)
        let run = try #require(handler.split(separator: "func run(").last?.split(separator: "\n    }").first)
        #expect(run.matches(of: #/try (?:await )?(\w+)\(/#).map { String($0.1) } == rows)
    }
}
