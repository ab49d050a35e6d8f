import Arguments
import Imaging

extension GPSReading {
    var json: JSON {
        switch self {
        case .absent: .object([("state", "absent"), ("lat", .null), ("lon", .null)])
        case .invalid(let reason):
            .object([("state", "invalid"), ("lat", .null), ("lon", .null), ("reason", .string(reason))])
        case .nullIsland: .object([("state", "null_island"), ("lat", .null), ("lon", .null)])
        case .valid(let fix, let source):
            .object([
                ("state", "valid"), ("lat", .number(fix.latitude)), ("lon", .number(fix.longitude)),
                ("source", .string(source.rawValue)),
            ])
        }
    }

    var text: String {
        switch self {
        case .absent: "-"
        case .invalid(let reason): "invalid: \(reason)"
        case .nullIsland: "0, 0: treated as no position"
        case .valid(let fix, let source): "\(fix.latitude), \(fix.longitude) (\(source.rawValue))"
        }
    }
}
