import ChildProcess

/// Whether this machine lets processes make user namespaces, which a layer of the renderer's sandbox needs.
package enum UserNamespaces {
    /// Why it does not, and how to allow it; nil where it does.
    package static func obstacle() async -> String? { await known.value }

    package static func areAllowed() async -> Bool { await obstacle() == nil }

    /// Found once, as the sandbox would find it: with unshare(2).
    private static let known = Task { () async -> String? in
        let output = try? await ChildProgram("/usr/bin/unshare", ["--user", "true"]).run()
        guard output?.ending != .exited(0) else { return nil }
        let error = output?.standardError.split(separator: "\n").last.map(String.init) ?? "it did not start"
        return cure + ": " + error
    }

    package static let cure = """
        this machine forbids user namespaces; in a container allow them with --security-opt seccomp=unconfined, elsewhere with \
        sysctl user.max_user_namespaces=10000 kernel.unprivileged_userns_clone=1; a chroot can have none
        """
}

#if canImport(Testing)
    public import Testing

    extension Trait where Self == ConditionTrait {
        /// For tests of a complete sandbox.
        public static var userNamespaces: Self {
            .enabled(Comment(rawValue: UserNamespaces.cure)) { await UserNamespaces.areAllowed() }
        }
    }
#endif
