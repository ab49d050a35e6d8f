import Imaging
import PlainText

extension CaptureTime {
    /// ISO 8601, with the offset if it is known.
    var text: String {
        guard let offsetMinutes else { return local }
        if offsetMinutes == 0 { return local + "Z" }
        let size = abs(offsetMinutes)
        return local + (offsetMinutes < 0 ? "-" : "+") + (size / 60).padded(to: 2) + ":"
            + (size % 60).padded(to: 2)
    }
}
