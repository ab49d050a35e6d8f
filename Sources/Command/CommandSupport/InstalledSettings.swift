import Arguments
import FoundationEssentials
import Glibc

/// The environment files of an installation, for people who type commands: systemd gives them to the units.
///
/// A variable that is set already counts, then the first file that has it. A file that this user may not read is left out. The program
/// of the Debian package reads ``files``; any other only the one that `DARKROOM_CONFIG` names.
package enum InstalledSettings {
    static let files = ["/etc/darkroom/operator.env", "/etc/darkroom/darkroom.env"]

    /// Whether this is the program of the Debian package.
    package static var isInstalled: Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) == "/usr/bin/darkroom"
    }

    /// Whether a person runs that program, who is neither root nor the user of the services.
    package static var isOfOperator: Bool {
        isInstalled && geteuid() != 0
            && getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } != "darkroom"
    }

    /// Sets the variables of this process.
    ///
    /// - Parameter arguments: of the command line. One that names a database takes no login and no media store from a file.
    /// - Returns: the files of which something is used.
    /// - Throws: ``CommandError`` if the file that `DARKROOM_CONFIG` names cannot be read.
    static func load(_ arguments: [String]) throws -> [String] {
        let given = getenv("DARKROOM_CONFIG").map { String(cString: $0) } ?? ""
        let namesDatabase = arguments.contains { $0 == "--database" || $0.hasPrefix("--database=") }
        var used: [String] = []
        for file in given.isEmpty ? isInstalled ? files : [] : [given] {
            guard let data = FileManager.default.contents(atPath: file) else {
                if file != given { continue }
                throw CommandError(
                    "the file of DARKROOM_CONFIG cannot be read: \(file) (\(String(cString: strerror(errno))))"
                )
            }
            let variables = variables(String(decoding: data, as: UTF8.self))
            // A password and a media store belong to the database next to them.
            let takesDatabase = !namesDatabase && !isSet("DATABASE_URL") && variables["DATABASE_URL"] != nil
            for (name, value) in variables where !isSet(name) {
                if ["DATABASE_URL", "DARKROOM_MEDIA"].contains(name) || name.hasPrefix("PG") {
                    guard takesDatabase else { continue }
                } else if !name.hasPrefix("DARKROOM_") && !name.hasPrefix("AWS_") {
                    continue
                }
                setenv(name, value, 1)
                if used.last != file { used.append(file) }
            }
        }
        return used
    }

    /// An empty value is none.
    private static func isSet(_ name: String) -> Bool { getenv(name).map { $0.pointee != 0 } ?? false }

    /// What an environment file of systemd sets: `NAME=value`, one a line, in quotes or not; `#` and `;` begin comments.
    static func variables(_ text: String) -> [String: String] {
        var variables: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let match = line.wholeMatch(of: #/\s*([A-Za-z_][A-Za-z0-9_]*)=(.*?)\s*/#) else { continue }
            var value = match.2
            if value.count >= 2, let quote = value.first, quote == "\"" || quote == "'", value.last == quote {
                value = value.dropFirst().dropLast()
            }
            variables[String(match.1)] = String(value)
        }
        return variables
    }
}
