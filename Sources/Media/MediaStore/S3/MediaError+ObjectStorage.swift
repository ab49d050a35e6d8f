import ObjectStorage

extension MediaError {
    /// What an error of the store's client means for a photo: only an object that is not there can be the photo's fault.
    ///
    /// - Parameter path: the key, or the location of the store.
    init(_ error: any Error, path: String) {
        if let error = error as? MediaError {
            self = error
            return
        }
        guard let error = error as? ObjectStoreError else {
            self.init(.noResponse, path: path, message: "the call was given up before the store replied")
            return
        }
        if error.code == .localFile, let number = error.errorNumber {
            self = .system("use a temporary file", path: path, errorNumber: number)
            // A file that is open cannot be missing.
            if code == .notFound { code = .io }
            return
        }
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .accessDenied: .permissionDenied
            case .noSpace: .noSpace
            // The whole store, and another request may do.
            case .slowDown, .timeout, .connection, .server: .noResponse
            // The whole store, until somebody mends it.
            case .bucketNotFound, .signatureRejected, .credentialsExpired, .noCredentials, .clockSkew,
                .wrongRegion, .tls, .invalidRequest, .unexpected:
                .unavailable
            case .malformedLocation: .unsupportedLocation
            case .digestMismatch, .tooLarge, .localFile: .io
            }
        self.init(code, path: path, message: error.explanation)
    }
}
