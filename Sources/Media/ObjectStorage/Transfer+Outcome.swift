import CCurl
import Digests
import Synchronization

extension Transfer {
    private func long(_ fact: CURLINFO) -> Int {
        var value = 0
        if let handle { curl_shim_get_long(handle, fact, &value) }
        return value
    }

    private func offset(_ fact: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        if let handle { curl_shim_get_offset(handle, fact, &value) }
        return Int64(value)
    }

    var status: Int { long(CURLINFO_RESPONSE_CODE) }

    /// The length of the body by its header.
    var announced: Int64? {
        let length = offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        return length < 0 ? nil : length
    }

    func outcome(_ code: CURLcode) -> Outcome {
        if isCancelled.load(ordering: .acquiring) { return .failure(TransferFault(kind: .cancelled)) }
        let text = String(cString: messages)
        if let fault { return .failure(TransferFault(kind: fault, text: text)) }
        guard code == CURLE_OK else { return .failure(TransferFault(kind: kind(of: code), text: text)) }
        guard isHeadWhole else {
            return .failure(TransferFault(kind: .connection, text: "the reply was cut"))
        }
        let status = status
        let isSuccess = (200..<300).contains(status)
        // HTTP/1.1 allows a body that ends with the connection: a cut one would look the same.
        let version = long(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 ? 20 : 11
        if isSuccess, call.method == .get, version < 20, headers["content-length"] == nil,
            headers["transfer-encoding"]?.lowercased().hasSuffix("chunked") != true
        {
            return .failure(TransferFault(kind: .endless))
        }
        // A server that accepts what it has not yet got.
        if isSuccess, sent != call.body.count {
            return .failure(TransferFault(kind: .connection, text: "the reply came before the body was sent"))
        }
        return .success(
            TransferReply(
                status: status, headers: headers, body: body, received: received,
                digest: isSuccess ? receivedHasher.take()?.finish() : nil,
                connections: long(CURLINFO_NUM_CONNECTS), httpVersion: version))
    }

    private func kind(of code: CURLcode) -> TransferFault.Kind {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            // Curl rounds: it may give up a little earlier.
            let elapsed = offset(CURLINFO_TOTAL_TIME_T) / 1000 + 10
            if elapsed >= call.limits.whole.milliseconds { return .wholeTimeout }
            return offset(CURLINFO_PRETRANSFER_TIME_T) == 0 ? .connectTimeout : .idleTimeout
        case CURLE_SSL_CONNECT_ERROR: return .handshake
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
            return .tls
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL,
            CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            return .client
        default: return .connection
        }
    }
}

extension Duration {
    /// At least 1.
    var milliseconds: Int {
        max(1, Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000))
    }
}
