import FoundationEssentials
import Postgres

/// A detail of an upload that is given: what SQL calls it, its type there, and its value.
struct UploadField {
    let name: String
    let type: String
    let value: any PostgresEncodable

    init?(_ name: String, _ type: String, _ value: (any PostgresEncodable)?) {
        guard let value else { return nil }
        self.name = name
        self.type = type
        self.value = value
    }
}

extension UploadDetails {
    /// The fields of an upload that are given, by the names of the arguments of `enqueue_upload`.
    func fields(_ photo: StoredPhoto? = nil) -> [UploadField] {
        [
            UploadField("uploader", "text", uploader), UploadField("original_key", "text", photo?.key),
            UploadField("original_sha256", "text", photo?.sha256),
            UploadField("original_bytes", "bigint", photo?.byteCount),
            UploadField("headline", "text", headline),
            UploadField("caption", "text", caption), UploadField("link", "text", link),
            UploadField("category", "text", category), UploadField("activity", "text", activity),
            UploadField("venue_id", "text", venueID), UploadField("venue_name", "text", venueName),
            UploadField("credit", "text", credit), UploadField("licence", "text", licence),
            UploadField("latitude", "float8", latitude), UploadField("longitude", "float8", longitude),
            UploadField("accuracy_m", "float8", accuracyMetres), UploadField("place_text", "text", place),
            UploadField("place_near_latitude", "float8", placeNearLatitude),
            UploadField("place_near_longitude", "float8", placeNearLongitude),
            UploadField("place_country", "text", placeCountry),
            UploadField("location_privacy", "text", locationPrivacy?.rawValue),
            UploadField("taken_at", "timestamptz", takenAt), UploadField("anonymous", "boolean", isAnonymous),
            UploadField("is_draft", "boolean", isDraft ? true : nil),
            UploadField("replaces", "bigint", replaces), UploadField("priority", "integer", priority),
            UploadField("run_at", "timestamptz", runAt),
            UploadField("idempotency_key", "text", idempotencyKey),
        ].compactMap(\.self)
    }
}

extension [UploadField] {
    /// As arguments of a call, each cast to its type, so that any driver can send them as texts.
    var arguments: PostgresQuery {
        var text = PostgresQuery.StringInterpolation(literalCapacity: 0, interpolationCount: count)
        for (number, field) in enumerated() {
            text.appendLiteral("\(number == 0 ? "" : ", ")\(field.name) => ")
            text.appendInterpolation(field.value)
            text.appendLiteral("::\(field.type)")
        }
        return PostgresQuery(stringInterpolation: text)
    }
}

/// Uploads as the list of objects that `enqueue_uploads` takes. All values are texts, which SQL reads by the fields' types.
struct UploadList: PostgresEncodable {
    private let uploads: [[UploadField]]

    init(_ uploads: [[UploadField]]) { self.uploads = uploads }

    var postgresText: String? {
        get throws {
            let objects = try uploads.map { fields in
                try Dictionary(
                    uniqueKeysWithValues: fields.map { field in
                        let text = try field.value.postgresText
                        guard text?.utf8.contains(0) != true else {
                            throw PostgresError(
                                .encoding, "\(field.name) has a NUL character, which PostgreSQL cannot store")
                        }
                        return (field.name, text)
                    })
            }
            return String(decoding: try JSONEncoder().encode(objects), as: UTF8.self)
        }
    }
}
