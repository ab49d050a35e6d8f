import Digests
import JobQueue
import MediaStore

extension RenditionMaker {
    /// Opens the original and makes sure that it is the file that was uploaded.
    ///
    /// - Throws: ``AttemptError``: rejected with `key_escapes_store`; mismatched with `original_missing`, `size_mismatch` or
    ///   `hash_mismatch`; a system fault if the store cannot be read, or is not the recorded one.
    func open(_ original: Upload.Original, of uploader: String) async throws -> MediaFile {
        func mismatched(_ reason: UploadRejection, _ message: String, _ found: String) -> AttemptError {
            let suspect = Reason(
                code: "originals_differ",
                message:
                    "\(original.key) \(found). If this is so for many, \(Originals.remedy)")
            return AttemptError(
                .mismatched(
                    Mismatch(
                        rejection: Reason(code: reason.rawValue, message: message), owner: uploader,
                        suspect: Absence(of: .originals, suspect))))
        }
        do {
            let opened = try await media.openOriginal(
                MediaKey(validating: original.key), expectedBytes: original.byteCount,
                expectedSHA256: SHA256Digest(hex: original.sha256))
            guard opened.byteCount == original.byteCount else {
                throw mismatched(
                    .sizeMismatch,
                    "The stored photo has \(opened.byteCount) bytes instead of \(original.byteCount). "
                        + "Please upload it again.",
                    "has \(opened.byteCount) bytes instead of \(original.byteCount)")
            }
            guard opened.sha256?.hex == original.sha256 else {
                throw mismatched(
                    .hashMismatch,
                    "The stored photo is not the one that you sent. Please upload it again.",
                    "has other bytes than its upload says")
            }
            return opened.file
        } catch let error as MediaError {
            switch error.code {
            case .keyEscapesStore:
                throw AttemptError.rejected(
                    .keyEscapesStore, "This photo's storage key is not valid. Please upload it again.")
            case .notFound, .notARegularFile:
                throw mismatched(
                    .originalMissing, "We cannot find this photo. Please upload it again.",
                    "is not in the store")
            default:
                throw AttemptError.storeFault(error)
            }
        }
    }
}
