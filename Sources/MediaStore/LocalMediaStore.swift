import CLinux
import FoundationEssentials
import Glibc

/// A photo in the store.
package struct StoredFile: Sendable, Hashable {
    package let key: MediaKey
    package let sha256: SHA256Digest
    package let byteCount: Int64
}

package typealias StoredOriginal = StoredFile
package typealias StoredRendition = StoredFile

/// Originals and renditions in a local directory, each named by the SHA-256 of its bytes:
///
/// ```
/// originals/ab/cd/abcd…           as uploaded, private (mode 0640)
/// renditions/ab/cd/abcd….jpg      public (mode 0644)
/// ```
///
/// `ab` and `cd` are the first two pairs of the hash's 64 lower-case hexadecimal digits. Files are
/// written without a name and linked into place when they are complete and on disk, so a half-written
/// one can never be seen, and the same bytes are one file however often they are stored.
package struct LocalMediaStore: Sendable {
    /// The store's directory.
    package let root: String
    private let directory: MediaFile

    /// Opens a store and makes what is missing of its directories.
    ///
    /// - Parameter location: a directory's path, or its `file://` URL.
    /// - Throws: ``MediaError``.
    package init(location: String) throws {
        root = try Self.path(of: location)
        for part in ["", "/originals", "/renditions"] {
            try Self.makeDirectories(root + part)
        }
        let descriptor = Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MediaError(errno: errno, doing: "opening", root) }
        directory = MediaFile(descriptor: descriptor)
    }

    /// Opens an original for reading.
    ///
    /// - Throws: ``MediaError`` with `notFound`, `notARegularFile` or `keyEscapesStore`; symbolic links
    ///   are not followed.
    package func openOriginal(_ key: MediaKey) async throws -> MediaFile {
        try await open(key)
    }

    /// Opens a rendition for reading. Throws as ``openOriginal(_:)`` does.
    package func openRendition(_ key: MediaKey) async throws -> MediaFile {
        try await open(key)
    }

    /// Where a file of the store lies in the file system.
    package func path(of key: MediaKey) -> String { "\(root)/\(key.path)" }

    /// A new file without a name, to be written and then given to ``publishRendition(_:fileExtension:)``.
    package func makeUnnamedRendition() throws -> MediaFile { try makeUnnamedFile(in: "renditions") }

    private func open(_ key: MediaKey) async throws -> MediaFile {
        try await IOThreads.shared.run {
            let descriptor = linux_open_beneath(directory.descriptor, key.path)
            guard descriptor >= 0 else { throw MediaError(errno: errno, doing: "opening", key.path) }
            let file = MediaFile(descriptor: descriptor)
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw MediaError(.notARegularFile, "opening \(key.path): it is not a regular file")
            }
            return file
        }
    }

    func makeUnnamedFile(in tree: String) throws -> MediaFile {
        let path = "\(root)/\(tree)"
        let parent = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw MediaError(errno: errno, doing: "opening", path) }
        defer { close(parent) }
        let descriptor = linux_open_unnamed_file(parent)
        if descriptor >= 0 { return MediaFile(descriptor: descriptor) }
        guard errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT else {
            throw MediaError(errno: errno, doing: "writing below", path)
        }
        // A file system without unnamed files: one with a name that nobody looks for.
        let name = "\(path)/.unfinished-\(UUID().uuidString)"
        let named = Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard named >= 0 else { throw MediaError(errno: errno, doing: "writing below", path) }
        return MediaFile(descriptor: named, temporaryPath: name)
    }

    /// Gives a complete file its name, durably. That the name is taken is no error: it means the same bytes.
    func link(_ file: MediaFile, as key: MediaKey) throws {
        guard fsync(file.descriptor) == 0 else {
            throw MediaError(errno: errno, doing: "writing", key.path)
        }
        try Self.makeDirectories("\(root)/\(key.directory)")
        if linux_link_unnamed_file(file.descriptor, directory.descriptor, key.path) != 0, errno != EEXIST {
            throw MediaError(errno: errno, doing: "naming", key.path)
        }
        let parent = Glibc.open("\(root)/\(key.directory)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw MediaError(errno: errno, doing: "opening", key.directory) }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw MediaError(errno: errno, doing: "writing", key.directory) }
    }

    private static func path(of location: String) throws -> String {
        guard location.hasPrefix("file://") else {
            guard !location.isEmpty, !location.contains("://") else {
                throw MediaError(
                    .invalidLocation,
                    "the media store “\(location)” is neither a directory nor a file:// URL")
            }
            return location
        }
        guard let url = URL(string: location),
            url.host() == nil || url.host() == "" || url.host() == "localhost",
            url.path().hasPrefix("/")
        else {
            throw MediaError(
                .invalidLocation,
                "the media store “\(location)” is not on this machine: use file:///absolute/path")
        }
        return url.path(percentEncoded: false)
    }

    private static func makeDirectories(_ path: String) throws {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw MediaError(errno: errno, doing: "making the directory", path)
        }
        try makeDirectories(String(path[..<slash]))
        if mkdir(path, 0o755) != 0, errno != EEXIST {
            throw MediaError(errno: errno, doing: "making the directory", path)
        }
    }
}
