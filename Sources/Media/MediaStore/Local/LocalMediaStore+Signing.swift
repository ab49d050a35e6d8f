package import Digests
package import ObjectStorage

extension LocalMediaStore {
    package func signUpload(
        sha256: SHA256Digest, byteCount: Int64, lifetime: Int
    ) async throws(MediaError) -> (original: StoredOriginal, request: PresignedRequest) {
        throw unreachable
    }

    package func signDownload(
        of key: MediaKey, lifetime: Int
    ) async throws(MediaError) -> PresignedRequest {
        throw unreachable
    }

    private var unreachable: MediaError {
        MediaError(
            .unsupportedLocation, path: location,
            message:
                "is a directory, which no phone can reach: receive the photo and store it, or use an s3:// store"
        )
    }
}
