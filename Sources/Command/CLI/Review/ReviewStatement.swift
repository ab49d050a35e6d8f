import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Posts

enum ReviewStatement {
    static let command = Command(
        "statement", "Print the statement of reasons for a decision.",
        discussion: """
            It has the parts that Article 17 of Regulation (EU) 2022/2065 (the Digital Services Act) requires. The \
            terms and the means of redress come from the policy at the time of the decision: set them with 'darkroom \
            policy set --terms … --redress …'. With --json it has the fields and values of the European Commission's DSA \
            Transparency Database (article 24(5)), ready to be sent there. What you send must not contain personal data: \
            look at your notes first.
            """,
        options: [Settings.json, Settings.database],
        positionals: [.required("DECISION", "the decision's number, as shown by 'darkroom review show'")],
        examples: [
            Example("darkroom review statement 88", "prints the text to send to the uploader"),
            Example(
                "darkroom review statement 88 --json", "prints it for the DSA Transparency Database"),
        ]
    ) { arguments in
        let text = arguments.string("DECISION") ?? ""
        guard let id = Int64(text) else { throw UsageError("“\(text)” is not a decision's number") }
        let statement = try await Settings.withPool(arguments) {
            try await DecisionStore(pool: $0).statementOfReasons(for: id)
        }
        guard let statement else {
            throw CommandError("decision \(id) restricts nothing, so there are no reasons to state")
        }
        if arguments.flag("json") { return Output.line(statement.record.json.line) }
        for line in statement.lines { Output.line(Terminal.printable(line)) }
    }
}

extension StatementOfReasons {
    fileprivate var lines: [String] {
        let groundName =
            switch ground {
            case .law: "Legal ground"
            case .terms: "Contractual ground"
            }
        return [
            "Statement of reasons", "",
            "Decision \(decision) on \(subject.what) \(subject.comment > 0 ? subject.comment : subject.post), \(at.shortStamp) UTC",
            "",
            "Restriction: \(restriction)", "Scope: \(scope)", "Duration: \(duration)", "",
            "Facts and circumstances:",
        ] + facts.map { "- \($0)" } + [
            isByNotice
                ? "The decision followed reports."
                : "The decision was taken on our own initiative, not because of a report.",
            "", "Automated means: \(automation)", "", "\(groundName): \(groundText)",
            "Explanation: \(explanation)", "",
            "Redress: \(redress)",
        ]
    }

    private var automation: String {
        switch (isAutomaticallyDetected, isAutomaticallyDecided) {
        case (true, true): "the \(subject.what) was detected and the decision was taken by automated means."
        case (true, false): "the \(subject.what) was detected by automated means; a person decided."
        case (false, true): "the decision was taken by automated means."
        case (false, false): "none; a person decided."
        }
    }
}

extension TransparencyRecord {
    /// Null stands for what the database allows to be absent.
    var json: JSON {
        let prefix = isIllegal ? "illegal_content" : "incompatible_content"
        return .object(
            [
                ("decision_visibility", .array([.string(decisionVisibility)])),
                ("end_date_visibility_restriction", .null),
                ("decision_ground", .string(decisionGround)),
                ("\(prefix)_\(isIllegal ? "legal_ground" : "ground")", .string(ground)),
                ("\(prefix)_explanation", .string(explanation)),
            ] + (isIllegal ? [] : [("incompatible_content_illegal", .string("No"))]) + [
                ("content_type", .array(contentTypes.map { .string($0) })),
                ("category", .string(category)),
                ("territorial_scope", .array(Self.territorialScope.map { .string($0) })),
                ("content_language", .null),
                ("content_date", .string(contentDate)), ("application_date", .string(applicationDate)),
                ("decision_facts", .string(facts)), ("source_type", .string(sourceType)),
                ("automated_detection", .string(automatedDetection)),
                ("automated_decision", .string(automatedDecision)), ("puid", .string(puid)),
            ])
    }
}
