extension Duration {
    /// The largest unit that gives at least 1: `0.4s`, `12s`, `5m`, `3h`, `2d`.
    package var short: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        switch seconds {
        case ..<10: return "\((seconds * 10).rounded() / 10)s"
        case ..<120: return "\(Int(seconds))s"
        case ..<7200: return "\(Int(seconds / 60))m"
        case ..<172_800: return "\(Int(seconds / 3600))h"
        default: return "\(Int(seconds / 86_400))d"
        }
    }

    /// For short spans: `0.4ms`, `37ms`, then as ``short``.
    package var fine: String {
        switch seconds {
        case ..<0.01: "\((seconds * 10_000).rounded() / 10)ms"
        case ..<1: "\(Int((seconds * 1000).rounded()))ms"
        default: short
        }
    }

    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
