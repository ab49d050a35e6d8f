import Glibc
package import Imaging
package import JobQueue
package import MediaStore

extension Dependency {
    /// The media store: it is there, it is ours, and it can be read.
    package static let store = Dependency("store")
    /// The store has what was uploaded. No kind of job needs it: photos whose originals are as they should be go on without it.
    package static let originals = Dependency("originals")
    package static let storeWriting = Dependency("store_writing")
    /// Room for more files. A full store can be read, and files can be removed from it.
    package static let storeSpace = Dependency("store_space")
    package static let renderer = Dependency("renderer")
    /// Descriptors of open files, of the process and of the machine.
    package static let descriptors = Dependency("descriptors")
}

extension MediaError: DependencyError {
    package var absence: Absence? {
        switch code {
        case .noSpace: absence(of: .storeSpace, "storage_full")
        case .unavailable, .noResponse, .unsupportedLocation: absence(of: .store, "storage_unavailable")
        case .permissionDenied: absence(of: .storeWriting, "storage_read_only")
        case .io where errorNumber == EMFILE || errorNumber == ENFILE:
            absence(of: .descriptors, "too_many_open_files")
        case .io: absence(of: .storeWriting, "storage_failing")
        // The database says for itself whether it is away.
        case .unconfirmed: nil
        case .notFound, .keyEscapesStore, .leadsElsewhere, .notARegularFile, .invalidFileExtension:
            nil
        }
    }

    private func absence(of dependency: Dependency, _ code: String) -> Absence {
        Absence(of: dependency, Reason(code: code, message: description))
    }
}

extension RendererError: DependencyError {
    package var absence: Absence? {
        switch code {
        case .cannotStart, .unconfined:
            Absence(of: .renderer, Reason(code: "renderer_unavailable", message: description))
        case .outputFailed: Absence(of: .storeSpace, Reason(code: "storage_full", message: description))
        case .inputUnreadable:
            Absence(of: .storeWriting, Reason(code: "storage_failing", message: description))
        // Photos can do most of these too. So only the probe, which renders a sound picture, tells whether it happens to all.
        // That picture is small: several photos for which the machine has too little know better.
        case .crashed, .exited, .deadline, .starved, .protocolViolation, .outputTooLarge, .unsafeOutput,
            .faulted:
            Absence(of: .renderer, reason, outweighsProbe: suspectsMachine)
        case .closed: nil
        }
    }

    /// Of an attempt that ended with it.
    var reason: Reason {
        if suspectsMachine {
            return Reason(
                code: isKill ? "renderer_killed" : "renderer_starved",
                message:
                    "\(message) If it happens again, give the worker more memory and processor time, or fewer renderers "
                    + "(--renderers); 'journalctl --dmesg' tells whether the kernel killed it for its memory."
            )
        }
        return Reason(code: suspectsPhoto ? "renderer_died" : "renderer_fault", message: description)
    }
}

extension Set<Dependency> {
    /// Of jobs that read and remove files.
    static var files: Self { [.store, .storeWriting, .descriptors] }
    /// Of jobs that render photos.
    static var photos: Self { files.union([.storeSpace, .renderer]) }
}

extension JobResources {
    /// How a worker sees whether the dependencies of its jobs are there.
    package var probes: [Probe] {
        [
            Probe(of: .store, every: .seconds(5)) { [media] in try await media.probeReading(isNeeded: $0) },
            Probe(of: .storeWriting, every: .seconds(30)) { [media] in
                try await media.probeWriting(isNeeded: $0)
            },
            Probe(of: .storeSpace, every: nil) { [media] in try await media.probeWriting(isNeeded: $0) },
            // The pool keeps trying to start renderers, and knows why it has none.
            // Its picture waits for the first renderer that is free.
            Probe(of: .renderer, every: .seconds(2), limit: .seconds(90), isCostly: true) {
                [renderers] isNeeded in
                if let fault = renderers.statistics.fault { throw fault }
                guard isNeeded else { return }
                do {
                    try await renderers.prove()
                } catch let error as RendererError {
                    let message = "It does not render a sound picture. \(error)"
                    throw Absence(of: .renderer, Reason(code: "renderer_unavailable", message: message))
                }
            },
            Probe(of: .originals, every: nil, limit: .seconds(60), isCostly: true) {
                [originals = Originals(pool: pool, media: media)] isNeeded in
                if isNeeded { try await originals.prove() }
            },
            Probe(of: .descriptors, every: nil) { [media] _ in try await media.probeDescriptors() },
        ]
    }
}

extension JobDefinition {
    package static let needs = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.needs) })
}
