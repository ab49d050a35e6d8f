import Pages

/// Small charts, drawn on the server.
enum Chart {
    private static let height = 48.0

    /// One bar for each value, the latest on the right.
    static func bars(_ label: String, _ values: [Int], kind: StaticString) -> HTML {
        let highest = max(1, values.max() ?? 1)
        let bars = values.enumerated().map { index, value -> HTML in
            let tall = rounded(Double(value) / Double(highest) * height)
            return
                "<rect x=\"\(index * 4)\" y=\"\(rounded(height - tall))\" width=\"3\" height=\"\(tall)\"></rect>"
        }
        let sum = values.reduce(0, +)
        return """
            <figure class="chart is-\("\(kind)")"><figcaption>\(label) <b>\(sum)</b></figcaption>
            <svg viewBox="0 0 \(values.count * 4) 48" preserveAspectRatio="none" role="img" aria-label="\(label): \(sum) in the last hour, at most \(highest) a minute">\(HTML.all(bars))</svg></figure>
            """
    }

    /// Stages one after the other, as long as they took.
    static func stages(_ stages: [(name: String, milliseconds: Double)]) -> HTML {
        let total = max(0.001, stages.reduce(0) { $0 + $1.milliseconds })
        var start = 0.0
        var rects: [HTML] = []
        var names: [HTML] = []
        for (index, stage) in stages.enumerated() {
            let width = stage.milliseconds / total * 600
            rects.append(
                "<rect class=\"hue-\(index % 6)\" x=\"\(rounded(start))\" y=\"0\" width=\"\(rounded(width))\" height=\"16\"></rect>"
            )
            names.append(
                "<li class=\"hue-\(index % 6)\">\(stage.name) <b>\(rounded(stage.milliseconds)) ms</b></li>")
            start += width
        }
        let words = stages.map { "\($0.name) \(rounded($0.milliseconds)) ms" }.joined(separator: ", ")
        return """
            <svg class="stages" viewBox="0 0 600 16" preserveAspectRatio="none" role="img" aria-label="\(words)">\(HTML.all(rects))</svg>
            <ul class="legend">\(HTML.all(names))</ul>
            """
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
