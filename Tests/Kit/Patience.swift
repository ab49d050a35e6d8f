/// Something did not happen while a test waited for it.
package struct NotInTime: Error, CustomStringConvertible {
    package let description: String
}

/// Polls until a condition is true: the one patience of all tests that wait for what another process does.
///
/// The pauses grow to ten times the first one, and to what the condition takes: tests that wait leave the processor to those
/// that work.
///
/// It ends after a minute of pauses. A pause counts at most twice, however late this process's timer was, and the time
/// that the condition takes does not count: on a machine that is busy with other things the minute lasts longer.
///
/// - Throws: ``NotInTime``, or what `condition` throws.
package func until(
    _ what: String, every first: Duration = .milliseconds(5), file: String = #fileID, line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    var patience = Duration.seconds(60)
    var pause = first
    while true {
        let asked = ContinuousClock.now
        if try await condition() { return }
        pause = max(pause, min(ContinuousClock.now - asked, first * 10))
        guard patience > .zero else {
            throw NotInTime(description: "\(file):\(line): not within a minute: \(what)")
        }
        let began = ContinuousClock.now
        try await Task.sleep(for: pause)
        patience -= min(ContinuousClock.now - began, pause * 2)
        pause = min(pause * 5 / 4, first * 10)
    }
}
