import CLinux
import Glibc
import PlainText

/// Where unnamed local files are made for what comes from, or goes to, a remote store: `$TMPDIR`, or `/var/tmp` without it.
///
/// It needs room for the photos and renditions that are at work at once. The files vanish with their last descriptors.
struct ScratchDirectory: Sendable {
    let path: String

    init(_ path: String? = nil) {
        let given = path ?? getenv("TMPDIR").map { String(cString: $0) } ?? ""
        self.path = given.isEmpty ? "/var/tmp" : given
    }

    /// Blocks.
    ///
    /// - Throws: `noSpace`, `permissionDenied`, or `unavailable` if there is no such directory: never `notFound`, which
    ///   would blame a photo.
    func makeFile() throws(MediaError) -> MediaFile {
        do throws(MediaError) {
            return MediaFile(adopting: try makeDescriptor(), name: "unnamed file in \(path)")
        } catch {
            guard error.code == .notFound else { throw error }
            throw MediaError(
                .unavailable, path: path,
                message: "is no directory: set TMPDIR to one with room for the photos that are at work")
        }
    }

    private func makeDescriptor() throws(MediaError) -> CInt {
        let directory = try DirectoryHandle(opening: path)
        let unnamed = linux_open_unnamed_file(directory.descriptor)
        if unnamed >= 0 {
            fchmod(unnamed, 0o600)
            return unnamed
        }
        guard errno == EOPNOTSUPP || errno == EISDIR else {
            throw .system("make an unnamed file", path: path)
        }
        let name = ".darkroom-" + UInt64.random(in: .min ... .max).hexadecimal
        let named = openat(directory.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard named >= 0 else { throw .system("make a file", path: path) }
        unlinkat(directory.descriptor, name, 0)
        return named
    }
}
