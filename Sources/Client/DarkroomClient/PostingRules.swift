import Postgres

/// What may be posted, for the forms of an app.
public struct PostingRules: Sendable, Hashable {
    public enum LinkRule: String, Sendable, Hashable { case optional, required, refused }

    public let isHeadlineRequired: Bool
    public let isCaptionRequired: Bool
    public let isCategoryRequired: Bool
    /// Nil for any.
    public let categories: [String]?
    public let linkRule: LinkRule
    /// The hosts to which links may lead, with their subdomains; nil for any.
    public let linkHosts: [String]?
    /// The largest radius of uncertainty of a position, in metres; nil for any.
    public let accuracyAtMostMetres: Double?
    /// How near a reader must be to see pictures; nil for anywhere.
    public let picturesWithinMetres: Double?
    /// Within 24 hours; nil for no limit. The same goes for `bytesADay`.
    public let photosADay: Int?
    public let bytesADay: Int64?
    /// In characters; the same goes for the other lengths.
    public let headlineAtMost: Int
    public let captionAtMost: Int
    public let categoryAtMost: Int
    public let linkAtMost: Int
    public let commentAtMost: Int
    public let displayNameAtMost: Int
    public let reportsADay: Int
    public let reportReasons: [ReportReason]
    /// How exactly positions are published if the uploader says nothing.
    public let locationPrivacy: LocationPrivacy
    /// Whether people can dislike posts and comments.
    public let takesDislikes: Bool
    /// Media types of the files that are taken, such as `image/heic`. Nil, as the next three, before the first worker started.
    public let photoTypes: [String]?
    public let photoBytesAtMost: Int64?
    public let photoPixelsAtMost: Int64?
    /// What a page with names of places must show.
    public let attributions: [String]?

    init(_ row: PostgresRow) throws {
        isHeadlineRequired = try row.decode("headline_required")
        isCaptionRequired = try row.decode("caption_required")
        isCategoryRequired = try row.decode("category_required")
        categories = try row.decode("categories")
        linkRule = LinkRule(rawValue: try row.decode("link_rule")) ?? .optional
        linkHosts = try row.decode("link_hosts")
        accuracyAtMostMetres = try row.decode("accuracy_at_most_m")
        picturesWithinMetres = try row.decode("pictures_within_m")
        photosADay = try row.decode("photos_a_day")
        bytesADay = try row.decode("bytes_a_day")
        headlineAtMost = try row.decode("headline_at_most")
        captionAtMost = try row.decode("caption_at_most")
        categoryAtMost = try row.decode("category_at_most")
        linkAtMost = try row.decode("link_at_most")
        commentAtMost = try row.decode("comment_at_most")
        displayNameAtMost = try row.decode("display_name_at_most")
        reportsADay = try row.decode("reports_a_day")
        reportReasons = try row.decode("report_reasons", as: [String].self).compactMap(ReportReason.init)
        locationPrivacy = LocationPrivacy(rawValue: try row.decode("location_privacy")) ?? .place
        takesDislikes = try row.decode("takes_dislikes")
        photoTypes = try row.decode("photo_types")
        photoBytesAtMost = try row.decode("photo_bytes_at_most")
        photoPixelsAtMost = try row.decode("photo_pixels_at_most")
        attributions = try row.decode("attributions")
    }
}
