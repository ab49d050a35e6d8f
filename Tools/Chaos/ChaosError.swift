/// The harness itself failed, so that a trial says nothing about Darkroom.
package struct ChaosError: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
