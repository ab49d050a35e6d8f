import Digests
import FoundationEssentials
import Glibc
import Synchronization
import Testing
import Threads

@testable import Tokens

@Suite(.timeLimit(.minutes(5))) struct KeyChangeTests {
    /// What was reported.
    private final class Faults: Sendable {
        let all = Mutex<[KeyFileError]>([])
        var codes: [KeyFileError.Code] { all.withLock { $0.map(\.code) } }
    }

    private final class Flag: Sendable { let isUp = Atomic(false) }

    private func code(_ authenticator: Authenticator, _ token: String) -> TokenError.Code? {
        do {
            _ = try authenticator.caller(authorization: "Bearer \(token)", person: nil, at: now)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `A changed file counts, also for tokens that are remembered`() async throws {
        try await withDirectory { folder in
            let path = "\(folder)/keys"
            let (first, second) = (try TestSigner(.edDSA), try TestSigner(.edDSA))
            try replace(path, first.jwk())
            let faults = Faults()
            let authenticator = try Authenticator(.init(tokenKeys: path)) { fault in
                faults.all.withLock { $0.append(fault) }
            }
            let (old, new) = (first.token(payload: claims()), second.token(payload: claims()))
            #expect(code(authenticator, old) == nil)
            #expect(code(authenticator, new) == .signature)
            try replace(path, second.jwk())
            authenticator.checkFiles()
            #expect(code(authenticator, old) == .signature)
            #expect(code(authenticator, new) == nil)
            // Written in place, with the same length.
            try Data(first.jwk().utf8).write(to: URL(filePath: path))
            authenticator.checkFiles()
            #expect(code(authenticator, old) == nil)
            #expect(code(authenticator, new) == .signature)
            #expect(faults.codes == [])
        }
    }

    @Test func `The thread that watches the files reads them without being asked`() async throws {
        try await withDirectory { folder in
            let path = "\(folder)/keys"
            let (first, second) = (try TestSigner(.edDSA), try TestSigner(.edDSA))
            try replace(path, first.jwk())
            let authenticator = try Authenticator(.init(tokenKeys: path)) { _ in }
            let (old, new) = (first.token(payload: claims()), second.token(payload: claims()))
            #expect(code(authenticator, old) == nil)
            try replace(path, second.jwk())
            while code(authenticator, new) != nil { try await Task.sleep(for: .milliseconds(20)) }
            #expect(code(authenticator, old) == .signature)
        }
    }

    @Test func `A file that cannot be used keeps the old keys and is reported once`() async throws {
        try await withDirectory { folder in
            let path = "\(folder)/keys"
            let signer = try TestSigner(.edDSA)
            try replace(path, signer.jwk())
            let faults = Faults()
            let authenticator = try Authenticator(.init(tokenKeys: path)) { fault in
                faults.all.withLock { $0.append(fault) }
            }
            let token = signer.token(payload: claims())
            func check(_ expected: [KeyFileError.Code]) {
                for _ in 0..<3 { authenticator.checkFiles() }
                #expect(faults.codes == expected)
                #expect(code(authenticator, token) == nil)
            }
            try replace(path, String(signer.jwk().dropLast()))
            check([.malformed])
            try replace(path, signer.jwk(#""d":"AA""#))
            check([.malformed, .unsafe])
            try FileManager.default.removeItem(atPath: path)
            check([.malformed, .unsafe, .unreadable])
            try replace(path, String(repeating: " ", count: FileContents.largest + 1))
            check([.malformed, .unsafe, .unreadable, .tooLarge])
            // The same fault after the file was good is a new one.
            try replace(path, signer.jwk())
            check([.malformed, .unsafe, .unreadable, .tooLarge])
            try replace(path, String(repeating: " ", count: FileContents.largest + 1))
            check([.malformed, .unsafe, .unreadable, .tooLarge, .tooLarge])
            #expect(faults.all.withLock { $0.allSatisfy { $0.path == path } })
        }
    }

    @Test func `A server does not start with files that cannot be used`() async throws {
        try await withDirectory { folder in
            let path = "\(folder)/keys"
            func start() -> KeyFileError? {
                do {
                    _ = try Authenticator(.init(tokenKeys: path)) { _ in }
                    return nil
                } catch {
                    return error
                }
            }
            #expect(start()?.errorNumber == ENOENT)
            try replace(path, "{}")
            #expect(start()?.code == .malformed)
            #expect("\(try #require(start()))".hasPrefix("cannot use the keys in \(path): "))
            try FileManager.default.removeItem(atPath: path)
            // A pipe that nobody writes to does not stop it.
            #expect(mkfifo(path, 0o600) == 0)
            #expect(start()?.code == .unreadable)
            #expect(throws: KeyFileError.self) { try Authenticator(.init(apiKeys: folder)) { _ in } }
        }
    }

    @Test func `Files change while 8 tasks verify, and each sees one of the keys`() async throws {
        try await withDirectory { folder in
            let (keys, apiKeys) = ("\(folder)/keys", "\(folder)/api-keys")
            let signers = [try TestSigner(.edDSA), try TestSigner(.es256)]
            let news = [try #require(APIKeys.make(name: "a")), try #require(APIKeys.make(name: "b"))]
            // One key is in both files, one in each of them alone, and one in neither.
            let constant = TestSigner.each[.rs256]!
            try replace(keys, keySet(constant.jwk(), signers[0].jwk()))
            try replace(apiKeys, news[0].line)
            let faults = Faults()
            let authenticator = try Authenticator(.init(tokenKeys: keys, apiKeys: apiKeys)) { fault in
                faults.all.withLock { $0.append(fault) }
            }
            let isDone = Flag()
            let tokens = signers.map { $0.token(payload: claims()) }
            let foreign = try TestSigner(.edDSA).token(payload: claims())
            let (accepted, refused) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var (accepted, refused) = (0, 0)
                        while !isDone.isUp.load(ordering: .relaxed) {
                            #expect(code(authenticator, constant.token(payload: claims())) == nil)
                            #expect(code(authenticator, foreign) != nil)
                            for token in tokens {
                                if code(authenticator, token) == nil { accepted += 1 } else { refused += 1 }
                            }
                            for new in news {
                                _ = try? authenticator.caller(
                                    authorization: "Bearer \(new.key)", person: "p", at: now)
                            }
                            try await Task.sleep(for: .microseconds(1))
                        }
                        return (accepted, refused)
                    }
                }
                try await onThread {
                    for round in 1...200 {
                        try replace(keys, keySet(constant.jwk(), signers[round % 2].jwk()))
                        try replace(apiKeys, news[round % 2].line)
                        if round % 10 == 0 { try replace(keys, "{") }
                        authenticator.checkFiles()
                    }
                    try replace(keys, keySet(constant.jwk(), signers[1].jwk()))
                    authenticator.checkFiles()
                }
                isDone.isUp.store(true, ordering: .relaxed)
                return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
            }
            #expect(accepted > 0 && refused > 0)
            #expect(Set(faults.codes).subtracting([.malformed]).isEmpty && !faults.codes.isEmpty)
            #expect(code(authenticator, tokens[1]) == nil)
            #expect(code(authenticator, tokens[0]) == .algorithm)
            let last = try authenticator.caller(authorization: "Bearer \(news[0].key)", person: "p", at: now)
            #expect(last?.proof == .apiKey(name: "a"))
        }
    }
}
