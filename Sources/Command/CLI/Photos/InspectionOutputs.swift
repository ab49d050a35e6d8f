import CLinux
import CommandSupport
import Glibc
import Imaging

/// The files that renditions are written to: named ones in a directory, or unnamed ones in memory.
struct InspectionOutputs {
    let descriptors: [Int32]
    let paths: [String?]

    init(recipe: Recipe) throws {
        paths = recipe.renditions.map { _ in nil }
        descriptors = try recipe.renditions.map { spec in
            let descriptor = linux_open_memory_file(spec.name)
            guard descriptor >= 0 else {
                throw CommandError("cannot create a memory file: \(String(cString: strerror(errno)))")
            }
            return descriptor
        }
    }

    /// - Parameter stem: what the files' names begin with.
    init(recipe: Recipe, directory: String, stem: String) throws {
        let names = recipe.renditions.map {
            "\(directory)/\(stem).\($0.name).\($0.encoding.format.fileExtension)"
        }
        paths = names
        descriptors = try names.map { name in
            // A file of this name is replaced rather than written to: it may be a link to another file.
            let mode = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
            var descriptor = open(name, mode, 0o644)
            if descriptor < 0, errno == EEXIST, unlink(name) == 0 { descriptor = open(name, mode, 0o644) }
            guard descriptor >= 0 else { throw CommandError("\(name): \(String(cString: strerror(errno)))") }
            return descriptor
        }
    }

    /// A photo's name without its extension, with a number if a photo before it has that name. It is added to `taken`.
    static func stem(of photo: String, taken: inout Set<String>) -> String {
        let base = photo.split(separator: "/").last.map(String.init) ?? "photo"
        let stem = base.lastIndex(of: ".").map { String(base[..<$0]) } ?? base
        var (unique, number) = (stem, 2)
        while !taken.insert(unique).inserted { (unique, number) = ("\(stem)-\(number)", number + 1) }
        return unique
    }

    func close() {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }

    func discard() {
        for path in paths { if let path { unlink(path) } }
    }
}
