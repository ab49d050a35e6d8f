import FoundationEssentials

/// Temporary keys as the metadata services of containers and machines tell them.
struct MetadataKeys: Decodable {
    private let accessKey: String
    private let secretKey: String
    private let token: String?
    private let expiration: String?

    private enum CodingKeys: String, CodingKey {
        case accessKey = "AccessKeyId"
        case secretKey = "SecretAccessKey"
        case token = "Token"
        case expiration = "Expiration"
    }

    static func credentials(in body: [UInt8]) -> StoreCredentials? {
        guard let keys = try? JSONDecoder().decode(MetadataKeys.self, from: Data(body)) else { return nil }
        let expiry = keys.expiration.map(StoreTime.seconds(iso:))
        // Keys whose end is not understood would be used for ever.
        if let expiry, expiry == nil { return nil }
        return StoreCredentials(
            accessKey: keys.accessKey, secretKey: keys.secretKey, sessionToken: keys.token,
            expiry: expiry ?? nil)
    }
}
