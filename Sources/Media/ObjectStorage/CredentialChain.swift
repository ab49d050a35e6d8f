import Glibc
import PlainText
import Threads

/// One search for keys.
struct CredentialChain: Sendable {
    let environment: [String: String]
    let thread: TransferThread

    /// The first source that is set up; one that is and does not work is an error.
    func fetch() async throws -> StoreCredentials {
        let found = try await find()
        // They become parts of headers.
        for text in [found.accessKey, found.secretKey, found.sessionToken ?? "-"] {
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw ObjectStoreError.noCredentials(
                    "one is empty or has a character that is not visible ASCII; correct them where they come from"
                )
            }
        }
        return found
    }

    private func find() async throws -> StoreCredentials {
        if let found = try fromEnvironment() { return found }
        if let found = try await fromFile() { return found }
        if let found = try await fromContainer() { return found }
        if let found = try await fromInstance() { return found }
        throw ObjectStoreError.noCredentials(
            "there are none, and no metadata service replies; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them "
                + "into ~/.aws/credentials"
        )
    }

    /// Without a line feed at its end, which files of secrets often have.
    private func value(_ name: String) -> String? {
        environment[name].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    }

    private func fromEnvironment() throws(ObjectStoreError) -> StoreCredentials? {
        guard let key = value("AWS_ACCESS_KEY_ID") else { return nil }
        guard let secret = value("AWS_SECRET_ACCESS_KEY") else {
            throw .noCredentials("AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not; set both")
        }
        return StoreCredentials(accessKey: key, secretKey: secret, sessionToken: value("AWS_SESSION_TOKEN"))
    }

    // MARK: The shared file

    private func fromFile() async throws -> StoreCredentials? {
        let given = value("AWS_SHARED_CREDENTIALS_FILE")
        guard let path = given ?? value("HOME").map({ "\($0)/.aws/credentials" }) else { return nil }
        let profile = value("AWS_PROFILE")
        guard let text = try await readSmallFile(path) else {
            if given == nil, profile == nil { return nil }
            throw ObjectStoreError.noCredentials("\(path) cannot be read; correct the path or its mode")
        }
        let section = Self.section(profile ?? "default", of: text)
        guard let key = section["aws_access_key_id"], let secret = section["aws_secret_access_key"] else {
            if profile == nil { return nil }
            throw ObjectStoreError.noCredentials(
                "\(path) has no aws_access_key_id and aws_secret_access_key in the profile \(profile ?? "")")
        }
        return StoreCredentials(
            accessKey: key, secretKey: secret, sessionToken: section["aws_session_token"])
    }

    /// The settings of `[name]`: `key = value`, one a line; `#` and `;` begin comments.
    static func section(_ name: String, of text: String) -> [String: String] {
        var isWanted = false
        var settings: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                isWanted = line.dropFirst().dropLast().trimmed == name
            } else if isWanted, let sign = line.firstIndex(of: "=") {
                settings[line[..<sign].trimmed.lowercased()] = String(
                    line[line.index(after: sign)...].trimmed)
            }
        }
        return settings
    }

    private func readSmallFile(_ path: String) async throws -> String? {
        try await onThread {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = read(descriptor, &bytes, bytes.count)
            return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    // MARK: Metadata over HTTP

    /// ECS and EKS: "Container credential provider", AWS SDKs and Tools Reference Guide.
    private func fromContainer() async throws -> StoreCredentials? {
        let url: String
        if let relative = value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            url = "http://169.254.170.2\(relative)"
        } else if let full = value("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
            guard Self.isTrusted(full) else {
                throw ObjectStoreError.noCredentials(
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI must begin with https:// or lead to this machine")
            }
            url = full
        } else {
            return nil
        }
        var headers: [(name: String, value: String)] = []
        if let file = value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
            guard let token = try await readSmallFile(file) else {
                throw ObjectStoreError.noCredentials("\(file) cannot be read")
            }
            headers = [("Authorization", token.trimmed)]
        } else if let token = value("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
            headers = [("Authorization", token)]
        }
        guard headers.allSatisfy({ !$0.value.contains(where: \.isNewline) }) else {
            throw ObjectStoreError.noCredentials("the container's authorization token has more than one line")
        }
        return try decode(await ask(.get, url, headers, source: "the container's metadata"))
    }

    /// Without TLS, only addresses that never leave this machine.
    static func isTrusted(_ url: String) -> Bool {
        if url.hasPrefix("https://") { return true }
        guard url.hasPrefix("http://") else { return false }
        let authority = url.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") { return false }
        let host: Substring =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return ["localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"].contains(host)
            || (ObjectStoreLocation.isIPv4(host) && host.hasPrefix("127."))
    }

    /// EC2's metadata service, version 2: "Use the Instance Metadata Service", Amazon EC2 User Guide.
    private func fromInstance() async throws -> StoreCredentials? {
        if value("AWS_EC2_METADATA_DISABLED")?.lowercased() == "true" { return nil }
        let base = value("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
        let root = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/latest"
        let source = "the machine's metadata"
        let token: [UInt8]
        do {
            token = try await ask(
                .put, "\(root)/api/token", [("X-aws-ec2-metadata-token-ttl-seconds", "21600")], source: source
            )
        } catch let error as ObjectStoreError where error.status == nil {
            // This is no machine of Amazon's.
            return nil
        }
        let headers = [
            (name: "X-aws-ec2-metadata-token", value: String(decoding: token, as: UTF8.self).trimmed)
        ]
        guard !headers[0].value.contains(where: \.isNewline) else {
            throw ObjectStoreError.noCredentials("\(source) gave a token with more than one line")
        }
        let path = "\(root)/meta-data/iam/security-credentials/"
        let list = String(decoding: try await ask(.get, path, headers, source: source), as: UTF8.self)
        guard let role = list.split(whereSeparator: \.isNewline).first.map({ $0.trimmed }), !role.isEmpty
        else {
            throw ObjectStoreError.noCredentials("\(source) has no role; give the machine one")
        }
        return try decode(await ask(.get, path + role.percentEncoded(), headers, source: source))
    }

    private func ask(
        _ method: TransferCall.Method, _ url: String, _ headers: [(name: String, value: String)],
        source: String
    ) async throws -> [UInt8] {
        var call = TransferCall(method: method, url: url, headers: headers)
        call.sink = .memory(limit: 64 << 10)
        call.limits = TransferLimits(connect: .seconds(1), idle: .seconds(5), whole: .seconds(10))
        call.usesProxy = false
        do {
            let reply = try await thread.run(call)
            guard reply.isSuccess else {
                var error = ObjectStoreError.noCredentials(
                    "\(source) refuses them with HTTP \(reply.status); check the role that this machine or container has, or set "
                        + "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
                error.status = reply.status
                throw error
            }
            return reply.body
        } catch is TransferFault {
            throw ObjectStoreError.noCredentials("\(source) does not reply; check the network")
        }
    }

    private func decode(_ body: [UInt8]) throws(ObjectStoreError) -> StoreCredentials {
        guard let found = MetadataKeys.credentials(in: body) else {
            throw .noCredentials(
                "the metadata hold no keys; check the role that this machine or container has")
        }
        return found
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
    }
}
