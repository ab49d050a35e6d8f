/// The proxy could not be set up.
package struct ProxyError: Error, Sendable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
