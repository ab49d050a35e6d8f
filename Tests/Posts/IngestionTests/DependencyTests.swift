import Glibc
import Imaging
import JobQueue
import MediaStore
import Testing

@testable import Ingestion

@Suite("What an error says about the surroundings")
struct DependencyTests {
    @Test(
        "an error of the store names the dependency and the reason",
        arguments: [
            (MediaError.Code.unavailable, "store", "storage_unavailable"),
            (.noResponse, "store", "storage_unavailable"), (.noSpace, "store_space", "storage_full"),
            (.permissionDenied, "store_writing", "storage_read_only"),
            (.io, "store_writing", "storage_failing"),
        ])
    func store(code: MediaError.Code, dependency: String, reason: String) {
        let error = MediaError(code, path: "/media", message: "is gone")
        // A sweep or an enqueue of many photos stops at such an error.
        #expect(error.concernsWholeStore == (dependency == "store"))
        let absence = error.absence
        #expect(absence?.dependency.name == dependency && absence?.reason.code == reason)
        #expect(absence?.reason.message == "/media: is gone")
    }

    @Test("too few descriptors are no fault of the store", arguments: [EMFILE, ENFILE])
    func descriptors(number: CInt) {
        let error = MediaError(.io, path: "/media", message: "", errorNumber: number)
        #expect(error.absence?.dependency == .descriptors)
    }

    @Test(
        "an error that concerns one file is not an absence",
        arguments: [
            MediaError.Code.notFound, .keyEscapesStore, .leadsElsewhere, .notARegularFile,
            .unconfirmed,
        ])
    func file(code: MediaError.Code) {
        #expect(MediaError(code, path: "/media", message: "").absence == nil)
    }

    @Test("every dependency that a kind of job needs has a probe")
    func probes() {
        let needed = JobDefinition.all.reduce(into: Set<Dependency>()) { $0.formUnion($1.needs) }
        #expect(needed == [.store, .storeWriting, .storeSpace, .renderer, .descriptors])
        #expect(JobDefinition.needs[.erasePost]?.contains(.storeSpace) == false, "erasures make room")
    }
}
