/// A mistake in what a command was given or found, with a message that says what to do.
package struct CommandError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
