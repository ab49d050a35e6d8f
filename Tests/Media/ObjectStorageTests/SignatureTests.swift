import CivilCalendar
import Digests
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(15))) struct SignatureTests {
    // "Signature Calculations for the Authorization Header" and "Authenticating Requests: Using Query Parameters", Amazon
    // S3 API Reference: the examples' values.
    private static let example = SignatureV4(
        credentials: StoreCredentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1", time: CivilTime(year: 2013, month: 5, day: 24)!.secondsSince1970)
    private static let host = "examplebucket.s3.amazonaws.com"

    private func authorization(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], body: String = ""
    ) -> String? {
        let payload = SHA256Digest(hashing: body.utf8).hex
        let request = SignatureV4.Request(
            method: method, path: path, query: query,
            headers: headers + [("host", Self.host), ("x-amz-content-sha256", payload)], payload: payload)
        return Self.example.headers(signing: request).first { $0.name == "Authorization" }?.value
    }

    private static let credential =
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders="

    @Test func `Amazon's example of reading an object`() {
        #expect(
            authorization("GET", "/test.txt", headers: [("Range", "bytes=0-9")]) == Self.credential
                + "host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
    }

    @Test func `Amazon's example of storing an object`() {
        #expect(
            authorization(
                "PUT", "/test$file.text",
                headers: [
                    ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
                ], body: "Welcome to Amazon S3.") == Self.credential
                + "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        )
    }

    @Test func `Amazon's example of a parameter without a value`() {
        #expect(
            authorization("GET", "/", query: [("lifecycle", "")]) == Self.credential
                + "host;x-amz-content-sha256;x-amz-date, Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        )
    }

    @Test func `Amazon's example of a list`() {
        #expect(
            authorization("GET", "/", query: [("prefix", "J"), ("max-keys", "2")]) == Self.credential
                + "host;x-amz-content-sha256;x-amz-date, Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        )
    }

    @Test func `Amazon's example of a signed URL`() {
        let request = SignatureV4.Request(
            method: "GET", path: "/test.txt", headers: [("host", Self.host)],
            payload: SignatureV4.unsignedPayload)
        #expect(
            Self.example.presignedQuery(request, lifetime: 86_400)
                == "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        )
    }

    @Test(arguments: SuiteCase.all) func `AWS's test suite`(test: SuiteCase) {
        let signature = SignatureV4(
            credentials: StoreCredentials(
                accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                sessionToken: test.token),
            region: "us-east-1", service: "service",
            time: CivilTime(year: 2015, month: 8, day: 30, hour: 12, minute: 36)!.secondsSince1970)
        let payload = SHA256Digest(hashing: test.body.utf8).hex
        var request = SignatureV4.Request(
            method: test.method, path: test.path, query: test.query,
            headers: test.headers + [("Host", "example.amazonaws.com")], payload: payload)
        #expect(
            signature.presignedQuery(request, lifetime: 3600).hasSuffix("&X-Amz-Signature=\(test.presigned)"))
        if !test.body.isEmpty { request.headers.append(("x-amz-content-sha256", payload)) }
        let signed = signature.headers(signing: request)
        #expect(signed.last?.value.hasSuffix("Signature=\(test.signature)") == true)
        #expect(
            signed.contains { $0.name == "x-amz-security-token" && $0.value == test.token }
                == (test.token != nil))
    }

    @Test(arguments: [
        (ObjectStoreLocation.Style.path, "https://s3.example.org:9000/bucket/p/a%20b%2B%C3%A9"),
        (.virtual, "https://bucket.s3.example.org:9000/p/a%20b%2B%C3%A9"),
    ])
    func `A signed URL names host and key in both styles`(style: ObjectStoreLocation.Style, url: String)
        async throws
    {
        let location = try ObjectStoreLocation(
            "s3://bucket/p?endpoint=https://s3.example.org:9000&region=r&style=\(style.rawValue)")
        var configuration = ObjectStore.Configuration()
        configuration.now = { 1_400_000_000 }
        let keys = StoreCredentials(
            accessKey: "A", secretKey: "B", sessionToken: "C", expiry: 1_400_000_400)
        let store = try ObjectStore(
            location, credentials: CredentialSource(keys), configuration: configuration)
        let signed = try await store.presignedPut(
            ObjectKey("a b+é"), size: 3, sha256: SHA256Digest(hashing: [1, 2, 3]), lifetime: 3600)
        #expect(signed.url.hasPrefix("\(url)?X-Amz-Algorithm=AWS4-HMAC-SHA256&"))
        #expect(signed.url.contains("&X-Amz-Security-Token=C&"))
        #expect(
            signed.url.contains(
                "&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost%3Bx-amz-content-sha256&"))
        #expect(signed.expiry == 1_400_000_400)
        for lifetime in [0, -1, 604_801] {
            let error = try await storeError {
                _ = try await store.presignedGet(ObjectKey("a"), lifetime: lifetime)
            }
            #expect(error.code == .invalidRequest)
        }
    }
}
