import FoundationEssentials
import PlainText

/// A report that was decoded was made by a process that may have been taken over: it can have values that no photo has.
extension PhotoReport {
    /// Whether a sound renderer can have made this report.
    ///
    /// - Parameter side: the longest side that it accepts, in pixels.
    func isPossible(side: Int) -> Bool {
        let sides = 1...side
        return sides ~= width && sides ~= height && 1...8 ~= orientation
            && frames >= 1 && 0...65_536 ~= exifFields
            && stripped.count <= 64 && stripped.allSatisfy { $0.isPlainLine(atMost: 32) }
            && [cameraMake, cameraModel, colourDescription].allSatisfy {
                $0?.isPlainLine(atMost: 256) ?? true
            }
            && credit?.isClean ?? true
            && claimGenerator.map { PhotoCredit.clean($0) == $0 } ?? true
            && 5...ThumbHash.maximumBytes ~= thumbHash?.count ?? 5
            && pdq?.isPossible ?? true
            && captureTime?.isPossible ?? true
            && gps.isPossible
    }
}

extension PDQHash {
    fileprivate var isPossible: Bool { words.count == 4 && 0...100 ~= quality }
}

extension CaptureTime {
    fileprivate var isPossible: Bool {
        // The form alone: what the camera's clock said need not be a day of the calendar.
        let form = "0000-00-00T00:00:00"
        let parts = local.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        return parts[0].utf8.count == form.utf8.count
            && zip(parts[0].utf8, form.utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
            && (parts.count == 1 || 1...6 ~= parts[1].utf8.count && parts[1].utf8.allSatisfy(isDigit))
            && -840...840 ~= offsetMinutes ?? 0
            && instant.map { abs($0.timeIntervalSince1970) < 3e11 } ?? true
    }
}

extension GPSReading {
    fileprivate var isPossible: Bool {
        switch self {
        case .absent, .nullIsland: true
        case .invalid(let reason): reason.isPlainLine(atMost: 200)
        case .valid(let fix, _):
            abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180
        }
    }
}
