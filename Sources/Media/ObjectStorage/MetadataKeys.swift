import FoundationEssentials

/// Temporary keys as the metadata services of containers and machines tell them.
struct MetadataKeys: Decodable {
    private let AccessKeyId: String
    private let SecretAccessKey: String
    private let Token: String?
    private let Expiration: String?

    static func credentials(in body: [UInt8]) -> StoreCredentials? {
        guard let keys = try? JSONDecoder().decode(MetadataKeys.self, from: Data(body)) else { return nil }
        let expiry = keys.Expiration.map(StoreTime.seconds(iso:))
        // Keys whose end is not understood would be used for ever.
        if let expiry, expiry == nil { return nil }
        return StoreCredentials(
            accessKey: keys.AccessKeyId, secretKey: keys.SecretAccessKey, sessionToken: keys.Token,
            expiry: expiry ?? nil)
    }
}
