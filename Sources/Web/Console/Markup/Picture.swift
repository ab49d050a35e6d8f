import Pages

/// A picture that nobody sees before asking for it.
enum Picture {
    /// Works without a script: the box is what shows it.
    static func blurred(_ path: String, _ label: String) -> HTML {
        """
        <figure class="picture"><label><input type="checkbox" class="reveal"> Show the picture</label>
        <img src="\(path)" alt="\(label)" class="blurred" loading="lazy"></figure>
        """
    }
}
