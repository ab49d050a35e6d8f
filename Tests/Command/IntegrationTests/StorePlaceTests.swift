import ChildProcess
import TestKit
import Testing

@Suite("A place that can be no media store", .timeLimit(.minutes(15)))
struct StorePlaceTests {
    @Test("is a wrong option, so that systemd does not start the worker again and again")
    func refused() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = try darkroom.write(PhotoFixture.jpeg(width: 64, height: 64), to: "photo.jpg")
            try await darkroom.command(["enqueue", photo]).runSuccessfully()
            for place in [
                "'s3://photos'", "s3://", "http://photos/x", "file://elsewhere/photos",
                "s3://b?region=x&color=red",
                " /x",
            ] {
                var wrong = darkroom
                wrong.variables = ["DARKROOM_MEDIA": place]
                for arguments in [
                    ["work", "--drain"], ["sweep"], ["sweep", "--delete"], ["enqueue", photo],
                    ["store", "show"], ["store", "adopt"],
                ] {
                    let output = try await wrong.command(arguments).run()
                    #expect(output.ending == .exited(64), "\(place) \(arguments): \(output)")
                    #expect(output.standardError.contains("the location of the media store"), "\(output)")
                }
                let next = try await darkroom.command(["store", "migrate", "--to", place]).run()
                #expect(next.ending == .exited(64), "\(place): \(next)")
                let doctor = try await wrong.command(["doctor"]).run()
                #expect(
                    doctor.ending == .exited(1)
                        && doctor.standardOutput.contains("the location of the media store"),
                    "\(place): \(doctor)")
            }
        }
    }
}
