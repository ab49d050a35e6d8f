package import FoundationEssentials

/// What uploads must and must not say: a row of `darkroom.posting_policies`.
///
/// The rule itself is `darkroom.posting_objections`, which an app asks before an upload, the database at enqueue, and a worker
/// for policies that have changed since.
package struct PostingPolicy: Sendable, Equatable {
    /// Raw values are those of `darkroom.posting_policies.link`.
    package enum LinkRule: String, CaseIterable, Sendable {
        case optional, required, refused
    }

    package let version: Int
    /// The category for which it is; nil for the general policy. What it leaves nil, the general policy decides.
    package let category: String?
    package var headlineRequired: Bool?
    package var captionRequired: Bool?
    package var categoryRequired: Bool?
    /// The allowed categories; nil for any. Only the general policy lists them.
    package var categories: [String]?
    package var link: LinkRule?
    /// Links may lead to these hosts, in lower case, and their subdomains. Nil in the general policy for any.
    package var linkHosts: [String]?
    /// The largest radius of uncertainty of a position, in metres. Nil in the general policy for any.
    package var mostAccuracyMetres: Double?
    /// How many photos and texts a person may upload within 24 hours. Nil for any number; only the general policy has it.
    package var photosADay: Int?
    /// How many bytes these photos may have together. Nil for any number; only the general policy has it.
    package var bytesADay: Int?
    /// How near a reader must be to see pictures, in metres. Nil in the general policy for anywhere.
    package var picturesWithinMetres: Double?
    package var note = ""
    package var createdAt = Date(timeIntervalSince1970: 0)

    package init(version: Int, category: String? = nil) {
        self.version = version
        self.category = category
    }
}

/// An objection of a posting policy to an upload: a code for programs and a message for the uploader.
package struct PostingObjection: Sendable, Equatable {
    /// Raw values are reasons of rejections, as `darkroom.posting_objections` gives them.
    package enum Code: String, CaseIterable, Sendable {
        case headlineMissing = "headline_missing"
        case captionMissing = "caption_missing"
        case categoryMissing = "category_missing"
        case categoryUnknown = "category_unknown"
        case linkMissing = "link_missing"
        case linkRefused = "link_refused"
        case linkHostRefused = "link_host_refused"
        case locationTooInaccurate = "location_too_inaccurate"
    }

    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
