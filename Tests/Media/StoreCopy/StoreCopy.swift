import Digests
import Glibc
import ObjectStorage

/// Stores and reads a file of zeros, and prints this process's highest memory in KiB before and after: in a process of its
/// own, because nothing else must use memory at the same time.
///
///     StoreCopy LOCATION BYTES PART-SIZE
@main struct StoreCopy {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let size = Int64(arguments[2]), let partSize = Int64(arguments[3]) else {
            print("usage: StoreCopy LOCATION BYTES PART-SIZE")
            exit(64)
        }
        var configuration = ObjectStore.Configuration()
        configuration.partSize = partSize
        let store = try ObjectStore(
            ObjectStoreLocation(arguments[1]), credentials: CredentialSource(), configuration: configuration)
        // Everything that is loaded once is loaded now.
        try await copy(1000, in: store)
        let before = highestMemory()
        try await copy(size, in: store)
        print(before, highestMemory())
    }

    private static func copy(_ size: Int64, in store: ObjectStore) async throws {
        let (source, target) = (unnamedFile(), unnamedFile())
        guard ftruncate(source, off_t(size)) == 0 else { exit(74) }
        let zeros = [UInt8](repeating: 0, count: 1000)
        let hasher = SHA256Hasher()
        var left = Int(size)
        while left > 0 {
            zeros.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<min(left, 1000)])) }
            left -= min(left, 1000)
        }
        let digest = hasher.finish()
        let key = try ObjectKey("zeros")
        try await store.put(key, from: source, size: size, sha256: digest)
        let contents = try await store.get(key, into: target, limit: size, expected: digest)
        guard contents.size == size else { exit(65) }
        close(source)
        close(target)
    }

    private static func unnamedFile() -> CInt {
        var template = Array("/tmp/darkroom-copy-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { exit(73) }
        unlink(template)
        return descriptor
    }

    private static func highestMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }
}
