import CivilCalendar
import FoundationEssentials
import Pages

/// The parts that several pages have.
extension HTML {
    /// A time in UTC, which the script shows in the reader's own zone.
    static func time(_ date: Date) -> HTML {
        "<time datetime=\"\(date.stamp)\" title=\"\(date.shortStamp) UTC\">\(date.shortStamp) UTC</time>"
    }

    static func time(_ date: Date?) -> HTML { date.map { time($0) } ?? "–" }

    /// A text that a stranger wrote: its direction stays its own.
    static func said(_ text: String?) -> HTML { text.map { "<bdi>\($0)</bdi>" } ?? "–" }

    static func link(_ text: String, _ path: String) -> HTML { "<a href=\"\(path)\">\(text)</a>" }

    /// A state or level in a colour of its own, which is never the only sign.
    static func badge(_ text: String) -> HTML { "<span class=\"badge is-\(text)\">\(text)</span>" }

    /// A table that can be scrolled by keyboard where it is too wide.
    static func table(_ label: String, _ heads: [HTML], _ rows: [[HTML]], empty: String) -> HTML {
        guard !rows.isEmpty else { return "<p class=\"empty\">\(empty)</p>" }
        let head = all(heads.map { "<th scope=\"col\">\($0)</th>" })
        let body = all(rows.map { "<tr>\(all($0.map { "<td>\($0)</td>" }))</tr>\n" })
        return """
            <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table>
            <thead><tr>\(head)</tr></thead><tbody>
            \(body)</tbody></table></div>
            """
    }

    /// Names with their values; those without a value are left out.
    static func facts(_ facts: [(String, HTML?)]) -> HTML {
        let items = facts.compactMap { name, value in
            value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>\n" as HTML }
        }
        return "<dl class=\"facts\">\(all(items))</dl>"
    }

    static func choice(_ name: String, _ label: String, _ options: [String], chosen: [String]) -> HTML {
        let items = options.map { option -> HTML in
            "<option value=\"\(option)\"\(.when(chosen.contains(option), "selected"))>\(option)</option>"
        }
        return """
            <label>\(label) <select name="\(name)"><option value="">any</option>\(all(items))</select></label>
            """
    }

    static func field(_ name: String, _ label: String, _ value: String?, hint: String = "") -> HTML {
        """
        <label>\(label) <input name="\(name)" value="\(value ?? "")" placeholder="\(hint)" autocomplete="off"></label>
        """
    }
}
