extension String {
    /// The first line that differs from another text, so that a failure shows where.
    package func difference(from other: String) -> String? {
        if self == other { return nil }
        let (ours, theirs) = (
            split(separator: "\n", omittingEmptySubsequences: false),
            other.split(separator: "\n", omittingEmptySubsequences: false)
        )
        let number = zip(ours, theirs).prefix { $0 == $1 }.count
        return
            "line \(number + 1): “\(ours.dropFirst(number).first ?? "")” and “\(theirs.dropFirst(number).first ?? "")”"
    }
}
