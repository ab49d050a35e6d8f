import FoundationEssentials

enum PhotoFolder {
    /// The paths of a folder's JPEGs, sorted.
    static func photos(in folder: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let photos = names.filter { $0.lowercased().hasSuffix(".jpg") || $0.lowercased().hasSuffix(".jpeg") }
        guard !photos.isEmpty else { throw BenchmarkError("there are no JPEGs in \(folder)") }
        return photos.sorted().map { "\(folder)/\($0)" }
    }
}
