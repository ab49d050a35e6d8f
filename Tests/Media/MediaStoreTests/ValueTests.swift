import Testing

@testable import MediaStore

@Suite struct MediaKeyTests {
    @Test(arguments: ["a", "originals/ab/cd/abcd", "renditions/ab/cd/x.jpg", "a/b-c_d~e.f/%41", "a.b"])
    func `Plain relative paths are keys`(text: String) throws {
        #expect(try MediaKey(validating: text).path == text)
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "..", ".", "a/..", "a/../b", "../a", "./a", "a/./b", "a//b", "a/", "a\0b",
        "a\nb", "a b", "a\u{7F}", "é", "originals/.unfinished/1", String(repeating: "a", count: 256),
        String(repeating: "abc/", count: 128) + "a",
    ])
    func `Every other text is refused`(text: String) {
        let error = #expect(throws: MediaError.self) { try MediaKey(validating: text) }
        #expect(error?.code == .keyEscapesStore)
        #expect(error?.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } == true)
    }
}

@Suite struct MediaLocationTests {
    @Test(arguments: [
        ("/srv/media", "/srv/media"), ("media", "media"), ("/srv/media//", "/srv/media"), ("/", "/"),
        ("./a:b", "./a:b"), ("file:///srv/my%20media/", "/srv/my media"), ("FILE://LOCALHOST/m", "/m"),
        ("file:/srv", "/srv"), ("file:///s%C3%A9", "/sé"),
    ])
    func `Paths and file URLs are read`(location: String, path: String) throws {
        #expect(try MediaLocation.directoryPath(from: location) == path)
    }

    @Test(arguments: [
        "", "s3://bucket/photos", "file://example.org/media", "file:media", "file://media", "file:///a%2",
        "file:///a%zz", "file:///a%00b", "file:///a?b", "file:///a#b", "file:///%ff", "a\0b",
        "'/srv/media'", "\"s3://photos/x?region=y\"", "'s3://photos/x", " ", " /srv/media", "/srv/media\n",
        "s3//photos", "s3/photos?region=y", "photos?region=y",
    ])
    func `Other locations are refused with advice`(location: String) {
        let error = #expect(throws: MediaError.self) { try MediaLocation.directoryPath(from: location) }
        #expect(error?.code == .unsupportedLocation)
        #expect(error?.message.contains("file:///srv/darkroom/media") == true)
    }

    @Test(arguments: [
        "s3://AKIA:hunter2@photos/x?region=y", "s3://photos/x?region=y&secret=hunter2",
        "s3://photos/x?region=y&endpoint=https://AKIA:hunter2@example.org",
        "https://AKIA:hunter2@example.org/photos",
        "file://AKIA:hunter2@example.org/photos", "'s3://AKIA:hunter2@photos/x?region=y'",
    ])
    func `Errors do not repeat keys that somebody wrote into a location`(location: String) {
        let error = #expect(throws: MediaError.self) {
            try MediaLocation.store(at: location) { _ in .identity("") }
        }
        #expect(error.map { "\($0)".contains("hunter2") } == false)
    }
}
