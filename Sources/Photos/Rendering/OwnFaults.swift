import CFaults
import CSeccomp
import Glibc
import Imaging

/// What the system has refused to this process while it worked on the present photo.
///
/// The decoders say of it only that the photo is damaged, or nothing.
enum OwnFaults {
    static func forget() { faults_forget() }

    /// - Parameter text: what failed then.
    static func check(_ text: String = "") throws(RendererError) {
        let seen = faults_seen()
        var causes: [String] = []
        if seen.calls > 0 { causes.append("the sandbox refused \(name(of: seen.first_call))") }
        if seen.allocations > 0 { causes.append("there was no memory") }
        if seen.threads > 0 { causes.append("no thread could be started") }
        guard !causes.isEmpty else { return }
        throw RendererError(
            .faulted,
            "The photo was not read because \(causes.joined(separator: " and ")). \(text)")
    }

    private static func name(of call: CInt) -> String {
        guard let name = seccomp_syscall_resolve_num_arch(seccomp_native, call) else { return "call \(call)" }
        defer { free(name) }
        return String(cString: name)
    }
}
