import Glibc

extension ObjectStoreError {
    /// The error that a reply tells. Only codes and statuses count; no text is interpreted.
    ///
    /// - Parameter signedAt: this machine's time when the request was signed.
    init(_ reply: TransferReply, to request: StoreRequest, location: ObjectStoreLocation, signedAt: Int) {
        let document = reply.body.isEmpty ? nil : XMLNode.parse(reply.body)
        let error = document.flatMap { $0.name == "Error" ? $0 : nil }
        let serverCode = error?["Code"].map { String($0.printable.prefix(100)) }
        // HEAD has no body: there the difference of the clocks is the only sign.
        let skew = reply.headers["date"].flatMap(StoreTime.seconds(http:)).map { signedAt - $0 }
        var code = serverCode.flatMap(Self.code(ofServerCode:)) ?? Self.code(ofStatus: reply.status)
        // A proxy without a store behind it replies so as well. A store says what is missing, unless the reply has no body.
        if code == .notFound, serverCode == nil, request.method != .head { code = .unexpected }
        if code == .accessDenied, serverCode == nil, let skew, abs(skew) > 900 { code = .clockSkew }
        self.init(
            code, operation: request.operation,
            message: Self.message(
                code, location: location, skew: skew, region: error?["Region"], reply: reply),
            status: reply.status, serverCode: serverCode,
            requestID: (error?["RequestId"] ?? reply.headers["x-amz-request-id"])
                .map { String($0.printable.prefix(100)) },
            clockSkew: code == .clockSkew ? skew : nil)
    }

    private static func code(ofServerCode code: String) -> Code? {
        switch code {
        case "NoSuchKey", "NoSuchUpload", "NoSuchVersion": .notFound
        case "NoSuchBucket": .bucketNotFound
        case "AccessDenied", "AllAccessDisabled", "AccountProblem", "InvalidObjectState": .accessDenied
        case "SignatureDoesNotMatch", "InvalidAccessKeyId": .signatureRejected
        case "ExpiredToken", "InvalidToken", "TokenRefreshRequired": .credentialsExpired
        case "RequestTimeTooSkewed", "RequestExpired": .clockSkew
        case "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError", "PermanentRedirect",
            "TemporaryRedirect", "Redirect", "IllegalLocationConstraintException":
            .wrongRegion
        case "SlowDown", "SlowDownRead", "SlowDownWrite", "ServiceUnavailable", "Busy", "Throttling",
            "ThrottlingException", "RequestLimitExceeded", "TooManyRequests":
            .slowDown
        // OpenStack Swift says of a full quota that the object is too large. No request of this client is too large for S3.
        case "QuotaExceeded", "QuotaExceededException", "InsufficientStorage", "NotEnoughSpace",
            "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "EntityTooLarge":
            .noSpace
        case "XAmzContentSHA256Mismatch", "BadDigest", "InvalidDigest": .digestMismatch
        case "MaxMessageLengthExceeded": .tooLarge
        case "RequestTimeout": .timeout
        case "NotImplemented": .invalidRequest
        // The body was cut on its way.
        case "IncompleteBody": .connection
        case "InternalError": .server
        default: nil
        }
    }

    private static func code(ofStatus status: Int) -> Code {
        switch status {
        case 301, 302, 307, 308: .wrongRegion
        case 401, 403: .accessDenied
        case 404: .notFound
        case 429, 503: .slowDown
        case 400..<500, 501: .invalidRequest
        case 500, 502, 504: .server
        case 507: .noSpace
        default: .unexpected
        }
    }

    private static func message(
        _ code: Code, location: ObjectStoreLocation, skew: Int?, region: String?, reply: TransferReply
    ) -> String {
        switch code {
        case .notFound: return "the store has no such object"
        case .bucketNotFound:
            return
                "there is no bucket \(location.bucket) at \(location.endpoint); make it, or correct the location"
        case .accessDenied: return "the store does not allow this; give the access key the right to it"
        case .signatureRejected:
            return "the store does not accept the keys; correct the access key and the secret key"
        case .credentialsExpired: return "the temporary keys have ended; renew them"
        case .clockSkew:
            guard let skew else {
                return "the clocks of this machine and the store differ too much; set this machine's clock"
            }
            return
                "this machine's clock is \(abs(skew)) seconds \(skew < 0 ? "behind" : "ahead of") the store's; set it, or the store's"
        case .wrongRegion:
            let told = (region ?? reply.headers["x-amz-bucket-region"]).map {
                String($0.printable.prefix(64))
            }
            return told.map { "the bucket is in the region \($0); write region=\($0) in the location" }
                ?? "the bucket is elsewhere; correct endpoint, region or style in the location"
        case .slowDown: return "the store asks for fewer requests; try later, or use fewer workers"
        case .noSpace:
            return
                "the store is full, or its quota is used up; free or add space, and look at the largest object that it takes"
        case .timeout: return "the store waited too long for the request; look at the network"
        case .connection: return "the request was cut on its way; look at the network"
        case .digestMismatch: return "the bytes that came to the store do not match their SHA-256"
        case .tooLarge: return "the store does not take objects of this size"
        case .server: return "the store failed; look at its log"
        case .invalidRequest:
            return "the store does not accept the request; check whether it supports what was asked"
        default:
            return "the reply is not one of an object store; check the endpoint \(location.endpoint)"
        }
    }
}

extension ObjectStoreError {
    /// The error for a request without a complete reply.
    init(
        _ fault: TransferFault, operation: String, location: ObjectStoreLocation, limits: TransferLimits,
        sink: TransferCall.Sink
    ) {
        let at = "\(location.endpoint)"
        let text = fault.text.isEmpty ? "" : ": \(fault.text.printable)"
        let scheme = ", and whether it expects \(location.endpoint.isEncrypted ? "http" : "https")://"
        func seconds(_ duration: Duration) -> String { "\(Double(duration.milliseconds) / 1000) s" }
        let (code, message, number): (Code, String, CInt?) =
            switch fault.kind {
            case .connectTimeout:
                (
                    .timeout,
                    "\(at) accepted no connection within \(seconds(limits.connect)); look at the network", nil
                )
            case .idleTimeout:
                (
                    .timeout,
                    "\(at) neither sent nor took a byte for \(seconds(limits.idle)); look at the store", nil
                )
            case .wholeTimeout:
                (.timeout, "\(at) was not done after \(seconds(limits.whole)); look at the network", nil)
            case .connection, .cancelled:
                (
                    .connection,
                    "no complete reply from \(at)\(text); look at the network and the store\(scheme)", nil
                )
            case .handshake:
                (
                    .connection, "\(at) agreed on no TLS\(text); look at the network and the store\(scheme)",
                    nil
                )
            case .tls:
                (.tls, "\(at) cannot be trusted\(text); correct its certificate, or trust its issuer", nil)
            case .endless:
                (
                    .unexpected,
                    "the reply of \(at) does not say where it ends; check what is between it and here", nil
                )
            case .tooLarge(let announced):
                (.tooLarge, Self.tooLarge(announced, sink), nil)
            case .digestMismatch:
                (
                    .digestMismatch, "the file does not have the SHA-256 it should have; nothing was stored",
                    nil
                )
            case .fileEnded:
                (.localFile, "the file is shorter than said; nothing was stored", nil)
            case .reading(let number):
                (.localFile, "could not read the file: \(String(cString: strerror(number)))", number)
            case .writing(let number):
                (.localFile, "could not write the file: \(String(cString: strerror(number)))", number)
            case .client:
                (.unexpected, "the request could not be made\(text)", nil)
            }
        self.init(code, operation: operation, message: message, errorNumber: number)
    }

    private static func tooLarge(_ announced: Int64?, _ sink: TransferCall.Sink) -> String {
        let limit =
            switch sink {
            case .memory(let limit): Int64(limit)
            case .file(_, let limit): limit
            }
        let size = announced.map { "has \($0) bytes" } ?? "has more bytes"
        return "the reply \(size), and at most \(limit) are allowed"
    }
}
