import Imaging

extension CaptureTime {
    /// ISO 8601; with the offset where it is known.
    var text: String {
        guard let offsetMinutes else { return local }
        if offsetMinutes == 0 { return local + "Z" }
        let size = abs(offsetMinutes)
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return local + (offsetMinutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60)
    }
}
