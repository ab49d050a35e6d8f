import PlainText

/// Where objects are kept: `s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&style=path`.
///
/// Without an endpoint it is Amazon S3's in that region. It holds no keys to the store.
package struct ObjectStoreLocation: Sendable, Hashable, CustomStringConvertible {
    package enum Style: String, Sendable, CaseIterable {
        /// `https://HOST/BUCKET/KEY`: what a server of one's own understands.
        case path
        /// `https://BUCKET.HOST/KEY`: what Amazon prefers.
        case virtual
    }

    package let bucket: String
    /// Empty, or ends with a slash. Every key begins with it.
    package let prefix: String
    package let endpoint: Endpoint
    package let region: String
    package let style: Style

    /// The address of a store's server.
    package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        package let isEncrypted: Bool
        /// A name, an IPv4 address, or an IPv6 address in brackets; in lower case.
        package let host: String
        /// Nil for the usual one, 443 or 80.
        package let port: UInt16?

        package var description: String {
            "\(isEncrypted ? "https" : "http")://\(host)\(port.map { ":\($0)" } ?? "")"
        }
    }

    static let example = "s3://photos/darkroom?endpoint=https://s3.example.org&region=us-east-1"

    /// Throws ``ObjectStoreError`` with code `malformedLocation`, which says what to write.
    package init(_ text: String) throws(ObjectStoreError) {
        let rest = try Self.withoutScheme(text)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let parameters = try Self.parameters(parts.count > 1 ? parts[1] : nil)
        bucket = try Self.bucket(String(place[0]))
        prefix = try Self.prefix(place.count > 1 ? String(place[1]) : "")

        if let given = parameters["endpoint"] {
            endpoint = try Self.endpoint(given)
            region = try Self.region(parameters["region"] ?? "us-east-1")
        } else {
            guard let given = parameters["region"] else {
                throw .malformed("it needs a region, or the endpoint of another store than Amazon's")
            }
            region = try Self.region(given)
            endpoint = Endpoint(isEncrypted: true, host: "s3.\(region).amazonaws.com", port: nil)
        }
        if let given = parameters["style"] {
            guard let known = Style(rawValue: given) else {
                throw .malformed("the style is path or virtual")
            }
            style = known
        } else {
            style = parameters["endpoint"] == nil ? .virtual : .path
        }
        if style == .virtual {
            if endpoint.isAddress {
                throw .malformed("an endpoint without a name needs style=path")
            }
            if endpoint.isEncrypted, bucket.contains(".") {
                throw .malformed(
                    "no certificate covers a bucket with a dot in its name as a part of the host; add style=path"
                )
            }
        }
    }

    package var description: String {
        "s3://\(bucket)/\(prefix)?endpoint=\(endpoint)&region=\(region)&style=\(style.rawValue)"
    }

    /// The value of the `Host` header.
    var host: String {
        let host = style == .virtual ? "\(bucket).\(endpoint.host)" : endpoint.host
        return endpoint.port.map { "\(host):\($0)" } ?? host
    }

    /// The path of the bucket itself, or of an object in it, not encoded.
    func path(of key: String?) -> String {
        let inside = key.map { "/\($0)" } ?? ""
        return style == .virtual ? (inside.isEmpty ? "/" : inside) : "/\(bucket)\(inside)"
    }

    /// The URL of a path with an encoded query.
    func url(path: String, query: String) -> String {
        "\(endpoint.isEncrypted ? "https" : "http")://\(host)\(path.percentEncoded(keepsSlashes: true))"
            + (query.isEmpty ? "" : "?\(query)")
    }
}
