import Digests
package import FoundationEssentials
import Threads

/// Says who is asking, by the headers of a request.
///
/// - `Authorization: Bearer` and a JSON Web Token: the person whom the token names; see `TokenVerifier`.
/// - `Authorization: Bearer drk_…` and `Darkroom-Person`: a server that has an API key vouches for the person; see `APIKeys`.
///   `Darkroom-Person-Since` may say when the person's account was made, in whole seconds since 1970.
/// - Neither: nobody.
///
/// A thread looks at both files once a second. A changed file counts about a second later; one that cannot be used keeps the
/// old keys, and is reported once.
///
/// A token that is refused costs a verification each time. Limit by the client's address before asking.
package final class Authenticator: Sendable {
    package struct Configuration: Sendable {
        /// The file of keys for tokens, see `TokenKeyFile`; nil to accept no tokens.
        package var tokenKeys: String?
        package var rules: TokenRules
        /// The file of API keys, see `APIKeys`; nil to accept none.
        package var apiKeys: String?
        /// How many verified tokens are remembered, 2 or more. A token of 500 bytes takes about 500 bytes.
        package var rememberedTokens: Int

        package init(
            tokenKeys: String? = nil, rules: TokenRules = TokenRules(), apiKeys: String? = nil,
            rememberedTokens: Int = 10_000
        ) {
            self.tokenKeys = tokenKeys
            self.rules = rules
            self.apiKeys = apiKeys
            self.rememberedTokens = rememberedTokens
        }
    }

    /// Keys with what they verified: new keys begin with nothing remembered.
    private struct Verification: Sendable {
        let verifier: TokenVerifier
        let remembered: VerifiedTokens
    }

    private let tokens: KeyFile<Verification>?
    private let apiKeys: KeyFile<APIKeys>?
    private let watcher: KeyWatcher?

    /// Reads the files. Blocks: not for Swift's pool.
    ///
    /// - Parameter report: called once for each fault of a changed file, on the thread that watches the files.
    package init(
        _ configuration: Configuration, report: @escaping @Sendable (KeyFileError) -> Void
    ) throws(KeyFileError) {
        let (rules, most) = (configuration.rules, configuration.rememberedTokens)
        let tokens = try configuration.tokenKeys.map { path throws(KeyFileError) in
            try KeyFile(path, report: report) { contents throws(KeyFault) in
                Verification(
                    verifier: TokenVerifier(keys: try TokenKeyFile.parse(contents), rules: rules),
                    remembered: VerifiedTokens(most: most))
            }
        }
        let apiKeys = try configuration.apiKeys.map { path throws(KeyFileError) in
            try KeyFile(path, report: report) { contents throws(KeyFault) in try APIKeys(contents) }
        }
        self.tokens = tokens
        self.apiKeys = apiKeys
        guard let path = configuration.tokenKeys ?? configuration.apiKeys else {
            watcher = nil
            return
        }
        do {
            watcher = try KeyWatcher {
                tokens?.check()
                apiKeys?.check()
            }
        } catch {
            throw KeyFileError(.noThread, path: path, message: "\(error)")
        }
    }

    /// Reads the files now if they have changed. Blocks: not for Swift's pool.
    package func checkFiles() {
        tokens?.check()
        apiKeys?.check()
    }

    /// Who is asking; nil for nobody: the request has no `Authorization`, or an API key without a person.
    ///
    /// Does not block.
    ///
    /// - Parameters:
    ///   - authorization: the value of `Authorization`; nil if the request does not have it.
    ///   - person: the value of `Darkroom-Person`; nil if the request does not have it. Refuse bytes that are not UTF-8 before:
    ///     repaired, two names would be one.
    ///   - since: the value of `Darkroom-Person-Since`; nil if the request does not have it.
    package func caller(
        authorization: String?, person: String?, since: String? = nil, at now: Date
    ) throws(TokenError) -> Caller? {
        guard let authorization else {
            guard person == nil, since == nil else { throw Self.personNeedsAPIKey }
            return nil
        }
        let credential = try Self.credential(authorization)
        guard !credential.utf8.starts(with: APIKeys.prefix.utf8) else {
            return try caller(apiKey: credential, person: person, since: since)
        }
        guard person == nil, since == nil else { throw Self.personNeedsAPIKey }
        return try caller(token: credential, at: now)
    }

    private static let personNeedsAPIKey = TokenError(
        .personNotAllowed, "Darkroom-Person and Darkroom-Person-Since are only for requests with an API key.")

    /// What follows `Bearer` (RFC 6750, section 2.1), with exactly one space between.
    private static func credential(_ authorization: String) throws(TokenError) -> String {
        let scheme = "bearer "
        guard authorization.utf8.count > scheme.utf8.count,
            String(decoding: authorization.utf8.prefix(scheme.utf8.count), as: UTF8.self).lowercased()
                == scheme
        else {
            throw TokenError(
                .malformedAuthorization, "Authorization is not \"Bearer\", one space and a token.")
        }
        return String(decoding: authorization.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
    }

    private func caller(apiKey: String, person: String?, since: String?) throws(TokenError) -> Caller? {
        guard let keys = apiKeys?.current else {
            throw TokenError(.notConfigured, "This server accepts no API keys.")
        }
        guard let name = keys.name(of: apiKey) else {
            throw TokenError(.unknownAPIKey, "This server does not know the API key.")
        }
        let made = try since.map(Self.time)
        guard let person else { return nil }
        guard person.isPerson else {
            throw TokenError(
                .person, "Darkroom-Person is not 1 to 200 characters without control characters.")
        }
        return Caller(person: person, since: made, proof: .apiKey(name: name))
    }

    /// The range is that of a token's claim: the years 1970 to 9999.
    private static func time(_ text: String) throws(TokenError) -> Date {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(text),
            seconds < 253_402_300_800
        else {
            throw TokenError(
                .person, "Darkroom-Person-Since is not a time in whole seconds since 1970.")
        }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private func caller(token: String, at now: Date) throws(TokenError) -> Caller {
        guard let tokens = tokens?.current else {
            throw TokenError(.notConfigured, "This server accepts no tokens.")
        }
        // Before it is hashed.
        guard token.utf8.count <= TokenVerifier.longest else {
            throw TokenError(.tooLong, "The token has more than \(TokenVerifier.longest) bytes.")
        }
        let digest = SHA256Digest(hashing: token.utf8)
        if let verified = tokens.remembered.token(digest) {
            do {
                try verified.claims.check(at: now)
            } catch {
                tokens.remembered.remove(digest)
                throw error
            }
            return verified.caller
        }
        let verified = try tokens.verifier.verify(token.utf8)
        try verified.claims.check(at: now)
        tokens.remembered.insert(verified, digest)
        return verified.caller
    }
}
