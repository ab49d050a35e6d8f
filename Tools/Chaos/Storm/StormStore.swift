import Digests
import FoundationEssentials

/// Where the media store of a storm is.
package enum StormStoreKind: String, CaseIterable, Sendable { case directory, bucket }

/// The media store of a storm.
enum StormStore: Sendable {
    case directory(StormDisk)
    case bucket(StormBucket)

    /// Its location, as workers get it.
    var media: String {
        switch self {
        case .directory(let disk): disk.path
        case .bucket(let bucket): bucket.media
        }
    }

    var environment: [String: String] {
        switch self {
        case .directory: [:]
        case .bucket: StormBucket.environment
        }
    }

    func take(_ fault: StormFault) async throws {
        switch self {
        case .directory(let disk): try await disk.take(fault)
        case .bucket(let bucket): try await bucket.take(fault)
        }
    }

    func giveBack(_ fault: StormFault) async throws {
        switch self {
        case .directory(let disk): try disk.giveBack(fault)
        case .bucket(let bucket): try await bucket.giveBack(fault)
        }
    }

    /// The keys of all originals, and the hash of each picture by key, computed from its bytes.
    func files() async throws -> (originals: Set<String>, pictures: [String: String]) {
        switch self {
        case .directory(let disk): return try Self.files(below: disk.path)
        case .bucket(let bucket):
            let keys = try await bucket.keys()
            let originals = keys.filter { $0.hasPrefix("originals/") && !$0.contains("/.darkroom-store") }
            let pictures = try await bucket.hashes(of: keys.filter { $0.hasPrefix("renditions/") })
            return (Set(originals), pictures)
        }
    }

    private static func files(
        below media: String
    ) throws -> (originals: Set<String>, pictures: [String: String]) {
        var originals: Set<String> = []
        var pictures: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: media) {
            let whole = "\(media)/\(path)"
            var isDirectory = false
            guard FileManager.default.fileExists(atPath: whole, isDirectory: &isDirectory), !isDirectory
            else { continue }
            if path.hasPrefix("originals/") {
                originals.insert(path)
            } else if path.hasPrefix("renditions/") {
                pictures[path] =
                    SHA256Digest(hashing: FileManager.default.contents(atPath: whole) ?? Data()).hex
            }
        }
        return (originals, pictures)
    }
}
