import Digests
import JobQueue
import MediaStore
import Postgres

/// What workers have read once and found right, to see whether the store still has it.
struct Originals: Sendable {
    let pool: PostgresPool
    let media: any MediaStore

    static let remedy =
        "look at what is between the store and here, then compare the store with a backup "
        + "('darkroom sweep' lists what is missing)."

    /// How many are read.
    private static let sample = 8
    /// One may have been lost alone, and it may be the one for which somebody asks.
    private static let mostWrong = 1

    /// Reads some originals again. Reads nothing while there are none.
    ///
    /// - Throws: an ``Absence`` of ``Dependency/originals`` if more than one of them is missing or has other bytes;
    ///   `MediaError` if the store cannot be read, and `PostgresError`.
    func prove() async throws {
        let rows = try await pool.query("select * from darkroom.known_originals(\(Self.sample))")
        var wrong: [String] = []
        var count = rows.count
        for row in rows {
            let key = try row.decode("original_key", as: String.self)
            let bytes = try row.decode("original_bytes", as: Int64.self)
            let digest = try row.decode("original_sha256", as: String.self)
            if try await isRight(key, bytes, digest) { continue }
            // It may have been erased meanwhile.
            if try await isKept(row.decode("upload_id", as: Int64.self)) {
                wrong.append(key)
            } else {
                count -= 1
            }
        }
        guard wrong.count > Self.mostWrong else { return }
        throw Absence(
            of: .originals,
            Reason(
                code: "originals_differ",
                message:
                    "\(wrong.count) of \(count) originals of published posts are missing or have other bytes, such as \(wrong[0]). "
                    + "Photos like that wait, the others go on: \(Self.remedy)"))
    }

    private func isRight(_ key: String, _ bytes: Int64, _ digest: String) async throws -> Bool {
        do {
            let opened = try await media.openOriginal(
                MediaKey(validating: key), expectedBytes: bytes, expectedSHA256: SHA256Digest(hex: digest))
            return opened.byteCount == bytes && opened.sha256?.hex == digest
        } catch {
            switch error.code {
            case .notFound, .notARegularFile: return false
            default: throw error
            }
        }
    }

    private func isKept(_ upload: Int64) async throws -> Bool {
        let rows = try await pool.query(
            "select from darkroom.uploads where upload_id = \(upload) and original_erased_at is null")
        return !rows.isEmpty
    }
}
