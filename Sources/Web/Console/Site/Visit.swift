import HTTPServer
import JobStore
import Pages

/// A request of someone who is signed in.
struct Visit: Sendable {
    let request: HTTPRequest
    let session: ConsoleSession
    /// The fields of the address, or of the form that was sent.
    let form: Form

    var mayAct: Bool { session.mayAct }

    func page(_ title: String, status: Int = 200, _ body: () throws -> HTML) rethrows -> HTTPResponse {
        try ConsolePage(title: title, status: status, visit: self, body: body).response
    }

    /// A form that changes something. Without the right to change something, nothing is shown.
    func form(_ action: String, class name: String = "action", _ body: HTML) -> HTML {
        guard mayAct else { return .empty }
        return """
            <form method="post" action="\(action)" class="\(name)"><input type="hidden" name="form_token" value="\(session.formToken)">\(body)</form>
            """
    }

    /// A button alone in its form.
    func button(_ label: String, _ action: String, fields: [(String, String)] = []) -> HTML {
        let hidden = fields.map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\($0.1)\">" as HTML }
        return form(action, class: "inline", "\(HTML.all(hidden))<button>\(label)</button>")
    }

    /// An action of this person, for the record.
    func action(_ name: String, target: String? = nil) -> OperatorAction {
        var action = OperatorAction(name, by: session.name, source: .console)
        action.role = session.role.rawValue
        action.target = target
        action.why = form["why"]
        return action
    }
}
