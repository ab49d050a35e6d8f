import Testing

@testable import Arguments

@Suite struct ManualPageTests {
    @Test func page() {
        let root = Command(
            "tool", "Does things.",
            subcommands: [
                Command(
                    "run", "Run it.", discussion: "First.\n\n  .kept  'as' \\ is\n\nLast.",
                    options: [
                        .value("dir", short: "d", "DIR", ".dot first", default: "/a-b", environment: "T_DIR"),
                        .repeated("tag", "TAG", "a tag"), .flag("json", "print JSON"),
                    ], positionals: [.restRequired("photo", "The files.")],
                    examples: [Example("tool run --json a.jpg", "runs it")]
                ) { _ in }
            ])
        #expect(
            ManualPage.text(of: "tool", version: "1.2.3", root: root) == #"""
                .TH TOOL 1 "" "Darkroom 1.2.3" "User Commands"
                .SH NAME
                tool \- does things
                .SH SYNOPSIS
                .B tool
                .I COMMAND
                \&.\|.\|.
                .br
                .B tool help
                .I COMMAND
                .br
                .B tool \-\-version
                .SH COMMANDS
                .SS tool run
                Run it.
                .PP
                First.
                .PP
                .EX
                  .kept  \[aq]as\[aq] \[rs] is
                .EE
                .PP
                Last.
                .TP
                .I PHOTO...
                The files.
                .TP
                .BI "\-d, \-\-dir" " " "DIR"
                \&.dot first (default: /a\-b)
                .TP
                .BI "\-\-tag" " " "TAG"
                a tag (may be repeated)
                .TP
                .BI "\-\-json"
                print JSON
                .PP
                .EX
                tool run \-\-json a.jpg
                .EE
                .RS 4
                runs it
                .RE
                .SH ENVIRONMENT
                .TP
                .B T_DIR
                Used if \-\-dir is not given.
                .SH EXIT STATUS
                .TP
                .B 0
                Success.
                .TP
                .B 1
                An error, which standard error names; or a check found something.
                .TP
                .B 64
                Wrong usage.

                """#)
    }

    /// A quotation mark ends an argument of a macro, and a backslash begins an escape.
    @Test func quoting() {
        let root = Command("a-b", #"Say "hello" ^ ~ `x`."#, subcommands: [])
        let page = ManualPage.text(of: "a-b", version: "1", root: root)
        #expect(page.contains(#"a\-b \- say \[dq]hello\[dq] \[ha] \[ti] \[ga]x\[ga]"#))
    }
}
