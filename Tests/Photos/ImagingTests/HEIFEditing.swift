import TestKit
import Testing

/// Changes to files that are sound.
extension HEIFFixture {
    static let contradiction = "Its items contradict each other."

    static func size(_ width: Int, _ height: Int) -> [UInt8] { big(width, 4) + big(height, 4) }

    static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for at in bytes.indices.dropLast(old.count) where bytes[at...].starts(with: old) {
            bytes.replaceSubrange(at..<at + old.count, with: new)
            break
        }
        return bytes
    }

    /// A file with a box at the end of one that lies in others.
    static func inserting(
        _ box: [UInt8], into path: [String], of file: [UInt8], keepsData: Bool = true
    ) throws -> [UInt8] {
        var file = file
        var (from, end) = (0, 0)
        for name in path {
            let at = try #require(
                file.indices.dropFirst(from).first { file[$0...].starts(with: Array(name.utf8)) })
            let length = file[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
            file.replaceSubrange(at - 4..<at, with: big(length + box.count, 4))
            (from, end) = (at + 4, at - 4 + length)
        }
        file.insert(contentsOf: box, at: end)
        guard keepsData else { return file }
        // The data lie behind it.
        let locations = try #require(file.indices.first { file[$0...].starts(with: Array("iloc".utf8)) })
        let skip = file[locations + 4] == 0 ? 6 : 8
        var at = locations + 12 + skip
        for _ in 0..<(Int(file[locations + 10]) << 8 | Int(file[locations + 11])) {
            let offset = file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            file.replaceSubrange(at..<at + 4, with: big(offset + box.count, 4))
            at += skip + 8
        }
        return file
    }
}

/// Expects two files to have the same renditions.
func expect(
    _ file: [UInt8], isShownAs plain: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let photo = try await render(file)
    let expected = try await render(plain)
    #expect(!expected.outputs.isEmpty, sourceLocation: sourceLocation)
    #expect(photo.outputs == expected.outputs, "\(photo.verdict)", sourceLocation: sourceLocation)
}
