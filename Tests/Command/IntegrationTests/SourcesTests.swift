import FoundationEssentials
import TestKit
import Testing

@Suite("The sources")
struct SourcesTests {
    @Test("give each name to only one type, except within types")
    func namesOfTypes() throws {
        let declaration =
            /^(?:@\w+ )?(?:(?:package|public|private|fileprivate|final|indirect) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
            .anchorsMatchLineEndings()
        let folder = Checkout.root + "/Sources"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        var files: [String: [String]] = [:]
        for path in paths where path.hasSuffix(".swift") {
            for match in try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8).matches(
                of: declaration)
            {
                files[String(match.1), default: []].append(path)
            }
        }
        #expect(files.count > 300)
        #expect(files.filter { $1.count > 1 } == [:])
    }
}
