/// One of the two angles of coordinates, as written.
struct Angle {
    /// Degrees, minutes and seconds, as far as given; never negative.
    var components: [Double] = []
    var isNegative = false
    var axis: AngleToken.Axis?
    var hasHemisphere = false
    var hasUnits = false
    var hasSign = false
    /// A number other than the last has a fraction.
    var hasEarlyFraction = false
    var hasFraction = false
    var isContradictory = false
    /// It is a longitude of either sign.
    var isOpen = false
    /// Its hemisphere is a word, or a letter that means two.
    var isDoubtful = false

    init(components: [Double], isNegative: Bool) {
        self.components = components
        self.isNegative = isNegative
    }

    /// Nil if the tokens are not one angle: a label, a hemisphere and a sign if there are, one to three numbers with or
    /// without their units, a hemisphere if there is.
    init?(_ tokens: ArraySlice<AngleToken>) {
        var rest = tokens
        if case .label(let axis) = rest.first {
            self.axis = axis
            rest = rest.dropFirst()
        }
        takeHemisphere(&rest)
        if rest.first == .minus || rest.first == .plus {
            hasSign = true
            isContradictory = isContradictory || hasHemisphere && rest.first == .minus
            isNegative = isNegative || rest.first == .minus
            rest = rest.dropFirst()
        }
        while case .number(let value, let isFraction) = rest.first, components.count < 3 {
            rest = rest.dropFirst()
            hasEarlyFraction = hasEarlyFraction || hasFraction
            hasFraction = hasFraction || isFraction
            if case .unit(let unit) = rest.first {
                guard unit.rawValue == components.count else { return nil }
                hasUnits = true
                rest = rest.dropFirst()
            }
            components.append(value)
        }
        guard !components.isEmpty else { return nil }
        takeHemisphere(&rest)
        guard rest.isEmpty else { return nil }
    }

    private mutating func takeHemisphere(_ rest: inout ArraySlice<AngleToken>) {
        let (axis, isNegative): (AngleToken.Axis, Bool)
        switch rest.first {
        case .hemisphere(let named, let negative, let isWord):
            (axis, isNegative) = (named, negative)
            isDoubtful = isDoubtful || isWord
        case .openLongitude:
            (axis, isNegative) = (.longitude, false)
            (isOpen, isDoubtful) = (true, true)
        default: return
        }
        rest = rest.dropFirst()
        isContradictory =
            isContradictory || hasHemisphere || self.isNegative || self.axis.map { $0 != axis } ?? false
        self.axis = axis
        self.isNegative = isNegative
        hasHemisphere = true
    }

    var fault: WrittenCoordinates.Fault? {
        if isContradictory || hasEarlyFraction { return .contradiction }
        if components.count > 1, components[1] >= 60 { return .minutes }
        if components.count > 2, components[2] >= 60 { return .seconds }
        if isOpen { return .openLongitude }
        return nil
    }

    var degrees: Double {
        let size = zip(components, [1.0, 60, 3_600]).reduce(0) { $0 + $1.0 / $1.1 }
        return isNegative ? -size : size
    }
}

/// The two angles of coordinates, in the order in which they are written.
struct AnglePair {
    var first: Angle
    var second: Angle
    /// A dash between blanks stands between them.
    var hasDash = false

    var reading: WrittenCoordinates.Reading {
        if let fault = first.fault ?? second.fault { return .fault(fault) }
        if hasDash, !second.hasHemisphere, !second.hasSign { return .fault(.dash) }
        let isOrderStated = first.axis != nil || second.axis != nil
        switch (first.axis, second.axis) {
        case (.latitude, .latitude), (.longitude, .longitude): return .fault(.sameAxis)
        case (.longitude, _), (nil, .latitude):
            return WrittenCoordinates.point(second.degrees, first.degrees, isOrderStated: isOrderStated)
        case (.latitude, _), (nil, _):
            return WrittenCoordinates.point(first.degrees, second.degrees, isOrderStated: isOrderStated)
        }
    }

    /// Nil if the tokens are not two angles.
    ///
    /// - Parameter isTight: a comma between two digits parts them, which may be a decimal comma.
    static func reading(of tokens: [AngleToken], isTight: Bool) -> WrittenCoordinates.Reading? {
        var pairs: [AnglePair] = []
        for index in tokens.indices.dropFirst() {
            let token = tokens[index]
            let right = tokens[index...].dropFirst([.separator, .slash, .dash].contains(token) ? 1 : 0)
            guard let first = Angle(tokens[..<index]), let second = Angle(right) else { continue }
            var pair = AnglePair(first: first, second: second)
            pair.hasDash = token == .dash
            let isClear =
                switch token {
                case .slash, .dash: pair.isExact && pair.isClear(isSeparated: true, isTight: isTight)
                default: pair.isClear(isSeparated: token == .separator, isTight: isTight)
                }
            if isClear { pairs.append(pair) }
        }
        // Of "47 N 122 W", only one way to cut it makes sense. In "47 N 122", the letter belongs to the number before it.
        if case .number = tokens.first { pairs.reverse() }
        let sound = pairs.first { if case .point = $0.reading { true } else { false } }
        let whole = pairs.first { !$0.first.isContradictory && !$0.second.isContradictory }
        return (sound ?? whole ?? pairs.first)?.reading
    }

    /// Whether both angles say that they are angles: "4.5/5.0" is a mark, and "24/12" a date.
    private var isExact: Bool {
        [first, second].allSatisfy { angle in
            let hundredths = (angle.components.last ?? 0) * 100
            return angle.hasHemisphere || angle.hasUnits || hundredths.rounded() != hundredths
        }
    }

    /// Whether the text shows that these are coordinates, and where the second angle begins.
    private func isClear(isSeparated: Bool, isTight: Bool) -> Bool {
        let both = [first, second]
        // "4 sur 5", "80 Sur 12 Este" and "O7, 5" are marks and addresses.
        if both.contains(where: \.isDoubtful) {
            return both.allSatisfy(\.hasHemisphere) && both.contains { $0.hasFraction || $0.hasUnits }
        }
        let isEven = first.components.count == second.components.count
        if isSeparated {
            // "45,5 9" is no whole number of degrees and then degrees and minutes.
            return !isTight || isEven || both.allSatisfy(\.hasHemisphere)
                || both.allSatisfy { $0.components.count == 1 || $0.hasUnits }
        }
        if both.allSatisfy({ $0.hasHemisphere || $0.hasUnits }) { return true }
        return isEven
            && (second.hasSign
                || both.contains { $0.hasHemisphere || $0.hasUnits || $0.hasFraction || $0.axis != nil })
    }
}
