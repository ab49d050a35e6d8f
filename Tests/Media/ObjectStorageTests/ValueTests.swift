import PlainText
import Testing

@testable import ObjectStorage

@Suite struct ObjectStoreLocationTests {
    @Test(arguments: [
        (
            "s3://photos?region=eu-central-1",
            "s3://photos/?endpoint=https://s3.eu-central-1.amazonaws.com&region=eu-central-1&style=virtual"
        ),
        (
            "s3://photos/?region=eu-central-1&style=path",
            "s3://photos/?endpoint=https://s3.eu-central-1.amazonaws.com&region=eu-central-1&style=path"
        ),
        (
            "S3://pho.tos/a/b?endpoint=https://S3.example.org",
            "s3://pho.tos/a/b/?endpoint=https://s3.example.org&region=us-east-1&style=path"
        ),
        (
            "s3://photos/a/b/?endpoint=http://[::1]:9000/&region=x",
            "s3://photos/a/b/?endpoint=http://[::1]:9000&region=x&style=path"
        ),
        (
            "s3://photos?endpoint=https%3A%2F%2Fs3.example.org%3A443",
            "s3://photos/?endpoint=https://s3.example.org&region=us-east-1&style=path"
        ),
        (
            "s3://photos?endpoint=http://127.0.0.1:80",
            "s3://photos/?endpoint=http://127.0.0.1&region=us-east-1&style=path"
        ),
        (
            "s3://photos?endpoint=http://store:8080&style=virtual",
            "s3://photos/?endpoint=http://store:8080&region=us-east-1&style=virtual"
        ),
    ])
    func `Locations are read`(text: String, whole: String) throws {
        let location = try ObjectStoreLocation(text)
        #expect(location.description == whole)
        #expect(try ObjectStoreLocation(whole) == location)
    }

    @Test(arguments: [
        "", "photos", "/srv/media", "s3:photos", "s3://", "s3:///a", "https://s3.example.org/photos",
        "s3://photos",
        "s3://photos?endpoint=https://s3.example.org#x", "s3://pho tos?region=x", "s3://photös?region=x",
        "s3://AK:secret@photos?region=x", "s3://ab?region=x", "s3://Photos?region=x", "s3://-photos?region=x",
        "s3://photos.?region=x", "s3://pho..tos?region=x&style=path", "s3://1.2.3.4?region=x&style=path",
        "s3://\(String(repeating: "a", count: 64))?region=x", "s3://photos//?region=x",
        "s3://photos/a//b?region=x",
        "s3://photos/../b?region=x", "s3://photos/.?region=x", "s3://photos/a%20b?region=x",
        "s3://photos/a:b?region=x",
        "s3://photos/\(String(repeating: "a", count: 257))?region=x", "s3://photos?region=",
        "s3://photos?region",
        "s3://photos?region=a/b", "s3://photos?region=x&region=x", "s3://photos?region=x&secret=hush",
        "s3://photos?region=x&", "s3://photos?region=%zz", "s3://photos?region=x&style=dns",
        "s3://pho.tos?region=x", "s3://photos?endpoint=s3.example.org",
        "s3://photos?endpoint=ftp://s3.example.org",
        "s3://photos?endpoint=https://", "s3://photos?endpoint=https://s3.example.org/path",
        "s3://photos?endpoint=https://user:hush@s3.example.org",
        "s3://photos?endpoint=https://s3.example.org:0",
        "s3://photos?endpoint=https://s3.example.org:65536",
        "s3://photos?endpoint=https://s3.example.org:%2B80",
        "s3://photos?endpoint=https://s3.example.org:", "s3://photos?endpoint=https://a%20b",
        "s3://photos?endpoint=https://::1",
        "s3://photos?endpoint=http://127.0.0.1&style=virtual",
        "s3://photos?endpoint=http://[::1]&style=virtual",
    ])
    func `Every other text is refused with advice`(text: String) {
        let error = #expect(throws: ObjectStoreError.self) { try ObjectStoreLocation(text) }
        #expect(error?.code == .malformedLocation)
        #expect(error?.message.contains(ObjectStoreLocation.example) == true)
        #expect(error?.message.contains("hush") == false)
    }
}

@Suite struct XMLNodeTests {
    private func parse(_ text: String) -> XMLNode? { XMLNode.parse(Array(text.utf8)) }

    @Test func `Elements, texts and entities are read`() throws {
        let root = try #require(
            parse(
                "<?xml version=\"1.0\"?><a xmlns=\"x\" xmlns:s=\"y\"><s:b>1 &amp; 2</s:b><b>&#233;<![CDATA[<c>]]></b><d/></a>"
            ))
        #expect(root.name == "a")
        #expect(root.children(named: "b").map(\.text) == ["1 & 2", "é<c>"])
        #expect(root["d"]?.isEmpty == true)
        #expect(root["e"] == nil)
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "<a/><b/>", "<a>&lol;</a>", "<!DOCTYPE a><a/>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a>\u{1}</a>", "<html><p>down</html>",
        String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
        "<a>" + String(repeating: "<b/>", count: 20_000) + "</a>",
    ])
    func `Other documents are refused`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func `Every cut of a document is refused`() {
        let whole = Array("<Error><Code>NoSuchKey</Code><Message>é</Message></Error>".utf8)
        #expect(XMLNode.parse(whole)?["Code"] == "NoSuchKey")
        for count in 0..<whole.count { #expect(XMLNode.parse(Array(whole[..<count])) == nil) }
    }
}

@Suite struct StoreValueTests {
    @Test func `Times are read`() {
        #expect(StoreTime.seconds(http: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(StoreTime.seconds(iso: "1994-11-06T08:49:37.000Z") == 784_111_777)
        #expect(StoreTime.seconds(iso: "1994-11-06T08:49:37Z") == 784_111_777)
        for text in ["", "now", "1994-11-06", "1994-13-06T08:49:37Z", "1994-11-06T08:49:37+01:00"] {
            #expect(StoreTime.seconds(iso: text) == nil)
            #expect(StoreTime.seconds(http: text) == nil)
        }
        #expect(StoreTime.seconds(http: "Sun, 06 Nov 1994 08:49:37 CET") == nil)
    }

    @Test func `Every byte is encoded and decoded`() {
        for scalar in (0..<0x300).compactMap(UnicodeScalar.init) {
            let text = String(scalar)
            #expect(text.percentEncoded().percentDecoded() == text)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || "0123456789-._~".contains(Character(scalar)))
            #expect((text.percentEncoded() == text) == isPlain)
        }
        #expect("a/b c".percentEncoded(keepsSlashes: true) == "a/b%20c")
        #expect("a+b%2Bc".percentDecoded(plusIsSpace: true) == "a b+c")
        for text in ["%", "%4", "%zz", "%ff", "a%C3"] { #expect(text.percentDecoded() == nil) }
    }

    @Test func `Keys are told apart by their bytes`() throws {
        #expect(try ObjectKey("é") != ObjectKey("e\u{301}"))
        #expect(try ObjectKey("a") < ObjectKey("b"))
        #expect(throws: ObjectStoreError.self) { try ObjectKey("") }
        #expect(throws: ObjectStoreError.self) { try ObjectKey(String(repeating: "é", count: 513)) }
        #expect(try ObjectKey(String(repeating: "é", count: 512)).text.utf8.count == 1024)
    }

    @Test func `Nothing prints a secret`() {
        let keys = StoreCredentials(accessKey: "AKIAEXAMPLE", secretKey: "hush", sessionToken: "quiet")
        var dumped = ""
        dump(keys, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), dumped, "\(Optional(keys) as Any)"] {
            #expect(!text.contains("hush") && !text.contains("quiet"))
        }
    }

    @Test func `Pauses grow to a limit, and end in time`() {
        let policy = TryPolicy()
        let longest = (1...5).map {
            policy.pause(afterTry: $0, elapsed: .zero) { $0.upperBound }
        }
        #expect(
            longest == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), nil])
        #expect(policy.pause(afterTry: 1, elapsed: .zero) { $0.lowerBound } == .zero)
        #expect(policy.pause(afterTry: 1, elapsed: .seconds(120)) { $0.lowerBound } == nil)
        var many = policy
        many.tries = .max
        #expect(many.pause(afterTry: 60, elapsed: .zero) { $0.upperBound } == .seconds(5))
    }

    @Test(arguments: [
        (Int64(1), Int64(5), [Int64(1)]), (5, 5, [5]), (6, 5, [5, 1]), (15, 5, [5, 5, 5]),
        (0, 5, []),
    ])
    func `Parts cover a file`(size: Int64, atLeast: Int64, counts: [Int64]) {
        #expect(ObjectStore.parts(of: size, atLeast: atLeast).map(\.count) == counts)
    }

    @Test func `There are never more than 10,000 parts`() {
        let parts = ObjectStore.parts(of: 5 << 40, atLeast: 5 << 20)
        #expect(parts.count <= 10_000)
        #expect(parts.reduce(0) { $0 + $1.count } == 5 << 40)
    }
}
