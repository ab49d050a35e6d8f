import Digests
import JobQueue
import MediaStore

extension RenditionMaker {
    /// Opens the original and makes sure that it is the file that was uploaded.
    ///
    /// - Throws: ``AttemptError``: rejected with `key_escapes_store`, `original_missing`,
    ///   `size_mismatch` or `hash_mismatch`; a system fault if the store cannot be read, or is not the recorded one.
    func open(_ original: Upload.Original) async throws -> MediaFile {
        do {
            let opened = try await media.openOriginal(
                MediaKey(validating: original.key), expectedBytes: original.byteCount,
                expectedSHA256: SHA256Digest(hex: original.sha256))
            guard opened.byteCount == original.byteCount else {
                throw AttemptError.rejected(
                    .sizeMismatch,
                    "The stored photo has \(opened.byteCount) bytes instead of \(original.byteCount). "
                        + "Please upload it again.")
            }
            guard opened.sha256?.hex == original.sha256 else {
                throw AttemptError.rejected(
                    .hashMismatch,
                    "The stored photo is not the one that you sent. Please upload it again.")
            }
            return opened.file
        } catch let error as MediaError {
            switch error.code {
            case .keyEscapesStore:
                throw AttemptError.rejected(
                    .keyEscapesStore, "This photo's storage key is not valid. Please upload it again.")
            case .notFound, .notARegularFile:
                throw AttemptError.rejected(
                    .originalMissing, "We cannot find this photo. Please upload it again.")
            default:
                throw AttemptError.storeFault(error)
            }
        }
    }
}
