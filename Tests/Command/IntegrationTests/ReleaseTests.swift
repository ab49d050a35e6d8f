import ChildProcess
import FoundationEssentials
import TestKit
import Testing

/// What packages are made from.
@Suite("A release", .timeLimit(.minutes(15)))
struct ReleaseTests {
    private static func run(_ program: String, _ arguments: String...) async throws -> String {
        try await ChildProgram("\(Checkout.programs)/\(program)", arguments).runSuccessfully()
            .standardOutput
    }

    @Test("has one version, which the change log has too")
    func version() async throws {
        let version = try await Self.run("darkroom", "version")
        let log = try String(contentsOfFile: "\(Checkout.root)/CHANGELOG.md", encoding: .utf8)
        let heading = try #require(log.firstMatch(of: #/(?m)^## (\d+\.\d+\.\d+) /#))
        #expect(version == "\(heading.1)\n")
        #expect(try await Self.run("darkroom", "--version") == "darkroom \(version)")
        #expect(try await Self.run("darkroom-dev", "version") == version)
    }

    /// Threads go on while the main one leaves: a server that was told to stop may be in the middle of a digest.
    @Test("computes digests until its process is gone", arguments: [["keys", "create", "x"], ["version"]])
    func digestAtTheEnd(arguments: [String]) async throws {
        let compiler = try #require(ChildProgram.find("cc"))
        try await withTemporaryDirectory { directory in
            // It runs after all that libcrypto has registered, since it is registered before.
            let source = """
                #include <openssl/evp.h>
                #include <stdlib.h>
                #include <unistd.h>
                static void late(void) {
                    EVP_MD_CTX *context = EVP_MD_CTX_new();
                    _exit(context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 ? 42 : 43);
                }
                __attribute__((constructor)) static void begin(void) { atexit(late); }
                """
            try Data(source.utf8).write(to: URL(filePath: "\(directory)/late.c"))
            let library = "\(directory)/late.so"
            try await ChildProgram(
                compiler, ["-shared", "-fPIC", "-o", library, "\(directory)/late.c", "-lcrypto"]
            ).runSuccessfully()
            for program in ["darkroom", "darkroom-dev"]
            where program == "darkroom" || arguments == ["version"] {
                let output = try await ChildProgram(
                    "\(Checkout.programs)/\(program)", arguments,
                    environment: ChildProgram.plainEnvironment.merging(["LD_PRELOAD": library]) { $1 }
                ).run()
                #expect(output.ending == .exited(42), "\(program): \(output.standardError)")
            }
        }
    }

    @Test("has manual pages without warnings")
    func manual() async throws {
        let groff = try #require(ChildProgram.find("groff"))
        let page = try await Self.run("darkroom", "--manual")
        let renderer = try String(
            contentsOfFile: "\(Checkout.root)/packaging/darkroom-renderer.1", encoding: .utf8)
        for text in [page, renderer] {
            try await withTemporaryDirectory { directory in
                try Data(text.utf8).write(to: URL(filePath: "\(directory)/page.1"))
                let output = try await ChildProgram(
                    groff, ["-man", "-ww", "-Tutf8", "-Kutf8", "-rLL=120n", "\(directory)/page.1"]
                ).runSuccessfully()
                #expect(output.standardError == "")
                #expect(output.standardOutput.contains("darkroom"))
            }
        }
    }

    @Test("completes each command with what its help shows")
    func completions() async throws {
        let bash = try #require(ChildProgram.find("bash"))
        let script = try await Self.run("darkroom", "--completions", "bash")
        /// What bash offers after the words.
        func offered(_ words: [String]) async throws -> Set<String> {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let ask = """
                \(script)
                COMP_WORDS=(darkroom \(list)); COMP_CWORD=\(words.count); _darkroom; printf '%s\\n' "${COMPREPLY[@]}"
                """
            let output = try await ChildProgram(bash, ["--norc", "-c", ask]).runSuccessfully()
            return Set(output.standardOutput.split(separator: "\n").map(String.init))
        }
        var groups: [[String]] = [[]]
        var actions = 0
        while let path = groups.popLast() {
            let help = try await ChildProgram("\(Checkout.programs)/darkroom", path + ["--help"])
                .runSuccessfully().standardOutput
            let section = help.split(separator: "\n\n").first { $0.hasPrefix("Commands:") }
            if let section {
                let names = section.matches(of: #/(?m)^  ([a-z-]+)/#).map { String($0.1) }
                #expect(try await offered(path + [""]) == Set(names + (path.isEmpty ? ["help"] : [])))
                groups += names.map { path + [$0] }
            } else {
                let options = help.split(separator: "\n\n").first { $0.hasPrefix("Options:") } ?? ""
                let names = options.matches(of: #/(?m)^  (?:-[a-z], |    )(--[a-z-]+)/#).map { String($0.1) }
                #expect(try await offered(path + ["--"]) == Set(names), "\(path)")
                actions += 1
            }
        }
        #expect(actions > 60)
        #expect(try await offered(["jo"]) == ["jobs"])
        #expect(try await offered(["work", "--queue", ""]) == [])
        #expect(
            try await offered(["enqueue", "\(Checkout.root)/CHANGE"]) == ["\(Checkout.root)/CHANGELOG.md"])
        #expect(
            try await offered(["work", "--gazetteer", "\(Checkout.root)/CHANGE"])
                == ["\(Checkout.root)/CHANGELOG.md"])
    }

    @Test(
        "has completions that the other shells accept", arguments: [("zsh", "-n"), ("fish", "--no-execute")])
    func otherShells(shell: String, check: String) async throws {
        let script = try await Self.run("darkroom", "--completions", shell)
        #expect(script.contains("replay"))
        // Not every machine has them.
        guard let program = ChildProgram.find(shell) else { return }
        try await withTemporaryDirectory { directory in
            try Data(script.utf8).write(to: URL(filePath: "\(directory)/script"))
            let output = try await ChildProgram(program, [check, "\(directory)/script"]).runSuccessfully()
            #expect(output.standardError == "")
        }
    }
}
