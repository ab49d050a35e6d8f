package import FoundationEssentials

extension Date {
    /// RFC 3339 in UTC, to the second.
    package var stamp: String { formatted(.iso8601) }

    /// `2026-05-01 12:00:07`, in UTC, for tables.
    package var shortStamp: String {
        stamp.replacing("T", with: " ").replacing("Z", with: "")
    }
}
