import CommandSupport
import Glibc

/// Asks whoever sits at the terminal before something that cannot be undone.
enum Question {
    /// Whether the answer is yes. A script cannot be asked: that it gives the command is its answer.
    static func isApproved(_ question: String) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return true }
        Output.note("\(question) Type yes to go on:")
        let answer = readLine()?.lowercased().filter { !$0.isWhitespace }
        return answer == "yes" || answer == "y"
    }
}
