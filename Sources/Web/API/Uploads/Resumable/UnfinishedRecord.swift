import FoundationEssentials

/// What is known of an upload that arrives in parts, next to its bytes.
struct UnfinishedRecord: Codable, Sendable {
    var person: String
    /// One upload makes one job, however often its end is asked for.
    var idempotencyKey: String
    /// The parameters of `enqueue_upload` that are the uploader's.
    var details: [String: String?]
    /// `Upload-Metadata` of tus, as it was sent.
    var metadata: String?
    /// Of the whole photo, in bytes; nil until it is known.
    var length: Int64?
    /// In seconds since 1970.
    var expires: Int64
    /// While bytes arrive whose checksum is not verified yet: how many there are without them.
    var trusted: Int64?
    /// Once the photo is stored and queued.
    var job: Int64?

    var isExpired: Bool { Date().timeIntervalSince1970 >= Double(expires) }

    /// In how many seconds it is removed.
    var remaining: Int64 { max(0, expires - Int64(Date().timeIntervalSince1970)) }

    var bytes: [UInt8] {
        get throws { [UInt8](try JSONEncoder().encode(self)) }
    }

    /// Nil for a file that no server of ours has written.
    init?(_ bytes: [UInt8]) {
        guard let record = try? JSONDecoder().decode(UnfinishedRecord.self, from: Data(bytes)) else {
            return nil
        }
        self = record
    }

    init(
        person: String, idempotencyKey: String, details: [String: String?], metadata: String?, length: Int64?,
        lifetime: Int
    ) {
        self.person = person
        self.idempotencyKey = idempotencyKey
        self.details = details
        self.metadata = metadata
        self.length = length
        expires = Int64(Date().timeIntervalSince1970) + Int64(lifetime)
    }
}
