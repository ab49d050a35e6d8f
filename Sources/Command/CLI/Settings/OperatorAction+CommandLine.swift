import CommandSupport
import JobStore

extension OperatorAction {
    /// What a command does, for the record.
    ///
    /// - Parameter operatorName: nil for the user of this shell.
    init(_ action: String, of target: String?, by operatorName: String? = nil, why: String? = nil) {
        self.init(action, by: operatorName ?? Settings.userName, source: .commandLine)
        self.target = target
        self.why = why
    }
}
