import Arguments
import CommandSupport
import Telemetry

extension Settings {
    /// Why a command with a log ends, as its last line: JSON where the log is JSON.
    static func logFailure(_ event: String) -> Command.FailureReport {
        { arguments, message in
            // The arguments may be what is wrong.
            let formats = Log.Format.allCases.filter { format in
                zip(arguments, arguments.dropFirst()).contains { $0 == ("--log-format", format.rawValue) }
                    || arguments.contains("--log-format=\(format.rawValue)")
            }
            let log = Log(minimum: .error, format: formats.last)
            guard log.writesJSON else { return false }
            log.error(event, ["error": .init(message)])
            log.flush()
            return true
        }
    }
}
