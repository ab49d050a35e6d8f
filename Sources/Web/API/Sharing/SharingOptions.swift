/// Pages of posts that people send to each other.
package struct SharingOptions: Sendable {
    /// Where people reach this server, such as `https://photos.example.org`, without a slash at the end. Empty for links that stay
    /// on the server on which the page is.
    package var address: String
    /// The app's own page of a post; `{post_id}` stands for its number.
    package var appLink: String?

    package init(address: String, appLink: String? = nil) {
        self.address = address
        self.appLink = appLink
    }
}
