/// Pages of posts that people send to each other.
package struct SharingOptions: Sendable {
    /// Where people reach this server, such as `https://photos.example.org`, without a slash at the end. Empty for links that stay
    /// on the server on which the page is.
    package let address: String
    /// The path of the address, such as `/photos`; mostly empty.
    package let path: String
    /// What the server is called where other programs show a page: the address's host.
    package let host: String
    /// The app's own page of a post; `{post_id}` stands for its number.
    package let appLink: String?

    /// Nil if the address is none of a server, or has a query, a user or characters that are not ASCII.
    package init?(address: String, appLink: String? = nil) {
        self.appLink = appLink
        guard !address.isEmpty else {
            (self.address, path, host) = ("", "", "")
            return
        }
        guard
            let match = address.wholeMatch(
                of:
                    #/[Hh][Tt][Tt][Pp][Ss]?:\/\/([A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?((?:\/[A-Za-z0-9._~\-]+)*)\/*/#
            ),
            match.2.map({ UInt16($0) ?? 0 > 0 }) ?? true
        else { return nil }
        path = String(match.3)
        host = String(match.1)
        self.address = String(address[..<match.3.endIndex])
    }

    /// Whether a text is the address of an app's page: with `{post_id}`, on this server or with a scheme of its own.
    package static func isAppLink(_ text: String) -> Bool {
        let isAddress =
            text.wholeMatch(
                of:
                    #/(\/|(?!(?:[Jj][Aa][Vv][Aa]|[Vv][Bb])[Ss][Cc][Rr][Ii][Pp][Tt]:|[Dd][Aa][Tt][Aa]:)[A-Za-z][A-Za-z0-9+.\-]*:)[!#-;=?-~]*/#
            ) != nil
        return isAddress && text.contains("{post_id}")
    }
}
