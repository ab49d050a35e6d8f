import Imaging
import JobQueue
import Posts

/// Why a photo is rejected, besides what the renderer (`PhotoRejection`) and the posting policy (`PostingObjection`) find.
enum UploadRejection: String, CaseIterable {
    case noLocation = "no_location"
    case invalidGPS = "invalid_gps"
    case placeUnknown = "place_unknown"
    case placeAmbiguous = "place_ambiguous"
    case badCoordinates = "bad_coordinates"
    case takenAtOutOfRange = "taken_at_out_of_range"
    case originalMissing = "original_missing"
    case sizeMismatch = "size_mismatch"
    case hashMismatch = "hash_mismatch"
    case keyEscapesStore = "key_escapes_store"
    case originalErased = "original_erased"
    case uploadErased = "upload_erased"
    case photoRefused = "photo_refused"

    /// Every reason for which a photo is rejected; docs/rejections.md explains them.
    static let reasons =
        PhotoRejection.Code.allCases.map(\.rawValue) + PostingObjection.Code.allCases.map(\.rawValue)
        + allCases.map(\.rawValue)
}

extension AttemptError {
    static func rejected(_ reason: UploadRejection, _ message: String) -> AttemptError {
        rejected(reason.rawValue, message)
    }
}
