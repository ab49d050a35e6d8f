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

    init(recipe: Recipe, directory: String, photo: String) throws {
        let base = photo.split(separator: "/").last.map(String.init) ?? "photo"
        let stem = base.lastIndex(of: ".").map { String(base[..<$0]) } ?? base
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

    func close() {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }

    func discard() {
        for path in paths { if let path { unlink(path) } }
    }
}
