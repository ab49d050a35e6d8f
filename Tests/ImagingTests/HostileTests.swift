import Glibc
import Imaging
import TestKit
import Testing

/// The hostile files of the shared data, against the verdict that each must get.
@Suite(.enabled(if: SharedData.root != nil, "DARKROOM_TEST_DATA is missing"))
struct HostileTests {
    static let all = SharedData.rows("hostile.tsv")
    static let named = all.filter { !$0["file"]!.hasPrefix("corpus/") }

    @Test(arguments: getenv("DARKROOM_TEST_CORPUS") == nil ? named : all)
    func aHostileFileGetsItsVerdict(row: [String: String]) async throws {
        let name = row["file"]!
        let bytes = try #require(SharedData.contents(SharedData.root! + "/hostile/" + name))
        do {
            let photo = try await render(bytes)
            let got = photo.rejection == nil ? "accept" : "reject"
            print(
                "HOSTILE\t\(got == row["expected"]! || row["expected"] == "either" ? "ok" : "WRONG")\t\(name)\t\(row["expected"]!)\t\(got)\t\(photo.rejection?.rawValue ?? "")\t\(photo.verdict)"
            )
        } catch {
            print("HOSTILE\tDEAD\t\(name)\t\(error)")
        }
    }
}
