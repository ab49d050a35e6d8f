import Digests
import Glibc
import Synchronization

/// A file of keys that is read again when it changes. A new file that cannot be used keeps the old keys.
final class KeyFile<Keys: Sendable>: Sendable {
    /// What was seen of the file.
    private struct Seen {
        /// Nil if the next check must read the file in any case.
        var stamp: FileStamp?
        /// Of the contents that are in use.
        var digest: SHA256Digest
        /// The last fault, until the file can be used again. It is reported once.
        var fault: KeyFileError?
    }

    private let path: String
    private let parse: @Sendable ([UInt8]) throws(KeyFault) -> Keys
    private let report: @Sendable (KeyFileError) -> Void
    /// Held while the file is read.
    private let seen: Mutex<Seen>
    private let keys: Mutex<Keys>

    /// Reads the file. Blocks.
    init(
        _ path: String, report: @escaping @Sendable (KeyFileError) -> Void,
        parse: @escaping @Sendable ([UInt8]) throws(KeyFault) -> Keys
    ) throws(KeyFileError) {
        self.path = path
        self.parse = parse
        self.report = report
        let contents = try FileContents(path)
        keys = Mutex(try Self.parsed(contents, path, parse))
        seen = Mutex(Seen(stamp: contents.settledStamp, digest: contents.digest))
    }

    /// The keys in use. Does not read the file.
    var current: Keys { keys.withLock { $0 } }

    /// Reads the file if it has changed. Blocks.
    func check() {
        let fault = seen.withLock { seen -> KeyFileError? in
            if let stamp = seen.stamp, stamp == FileStamp(path: path) { return nil }
            do throws(KeyFileError) {
                let contents = try FileContents(path)
                seen.stamp = contents.settledStamp
                if contents.digest != seen.digest {
                    let new = try Self.parsed(contents, path, parse)
                    keys.withLock { $0 = new }
                    seen.digest = contents.digest
                }
                seen.fault = nil
                return nil
            } catch {
                guard error != seen.fault else { return nil }
                seen.fault = error
                return error
            }
        }
        if let fault { report(fault) }
    }

    private static func parsed(
        _ contents: FileContents, _ path: String, _ parse: ([UInt8]) throws(KeyFault) -> Keys
    ) throws(KeyFileError) -> Keys {
        do {
            return try parse(contents.bytes)
        } catch {
            throw KeyFileError(error.code, path: path, message: error.message)
        }
    }
}
