import Glibc

/// Makes a new folder, whose name begins with `prefix`.
///
/// - Parameter isPassable: whether other users may pass through it, such as the one that a PostgreSQL server of root's runs as.
/// - Throws: ``ChildProgramError``.
package func makeTemporaryFolder(
    _ prefix: String, in parent: String = "/tmp", isPassable: Bool = false
) throws -> String {
    var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, !isPassable || chmod(template, 0o711) == 0 else {
        throw ChildProgramError("no folder can be made in \(parent): \(String(cString: strerror(errno)))")
    }
    return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
}
