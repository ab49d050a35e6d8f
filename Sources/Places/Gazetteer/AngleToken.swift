/// A sign, word or number of coordinates.
enum AngleToken: Hashable {
    enum Axis { case latitude, longitude }

    /// Raw values count the components of an angle before it.
    enum Unit: Int { case degree, minute, second }

    case number(Double, hasFraction: Bool)
    case minus
    case plus
    case unit(Unit)
    /// A word is a part of other texts more often than a letter is: "4 sur 5".
    case hemisphere(Axis, isNegative: Bool, isWord: Bool)
    /// "O" is west in French, Spanish, Italian and Portuguese, and east in German.
    case openLongitude
    /// "lat" or "lon".
    case label(Axis)
    /// A comma or semicolon.
    case separator
    /// A slash, which dates and fractions have as well.
    case slash
    /// A hyphen or dash between blanks, which may also be a minus sign.
    case dash

    /// What a comma between two digits means.
    enum Comma { case separates, isDecimalPoint }

    /// Nil if something in the text does not belong to coordinates.
    static func tokens(of text: Substring, _ comma: Comma) -> [AngleToken]? {
        var scanner = Scanner(rest: text.unicodeScalars, comma: comma)
        return scanner.scan() ? scanner.tokens : nil
    }

    /// A letter or a word of English, French, Italian, Spanish, Portuguese, German or Dutch; or one of Korean, Japanese or
    /// Chinese, which stands before the number.
    static func hemisphere(_ word: Substring) -> AngleToken? {
        let isWord = word.unicodeScalars.count > 1
        return switch word.lowercased() {
        case "n", "north", "nord", "norte", "noord", "북위", "北緯", "北纬":
            .hemisphere(.latitude, isNegative: false, isWord: isWord)
        case "s", "south", "sud", "süd", "sur", "sul", "zuid", "남위", "南緯", "南纬":
            .hemisphere(.latitude, isNegative: true, isWord: isWord)
        case "e", "east", "est", "este", "leste", "ost", "oost", "동경", "東経", "東經", "东经":
            .hemisphere(.longitude, isNegative: false, isWord: isWord)
        case "w", "west", "ouest", "oeste", "ovest", "서경", "西経", "西經", "西经":
            .hemisphere(.longitude, isNegative: true, isWord: isWord)
        default: nil
        }
    }

    private struct Scanner {
        var rest: Substring.UnicodeScalarView
        let comma: Comma
        var tokens: [AngleToken] = []

        /// More cannot be two angles.
        private static let mostTokens = 24

        mutating func scan() -> Bool {
            var isSpaced = true
            while let scalar = rest.first {
                guard tokens.count < Self.mostTokens else { return false }
                if scalar.properties.isWhitespace {
                    rest.removeFirst()
                    isSpaced = true
                    continue
                }
                guard
                    isDigit(scalar)
                        ? number()
                        : scalar.properties.isAlphabetic && !isDegree(scalar)
                            ? word() : symbol(scalar, isSpaced: isSpaced)
                else { return false }
                isSpaced = false
            }
            return true
        }

        private func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
            scalar.map { ("0"..."9").contains($0) } ?? false
        }

        /// The masculine ordinal sign looks like a degree sign, but is a letter.
        private func isDegree(_ scalar: Unicode.Scalar) -> Bool { "°º˚".unicodeScalars.contains(scalar) }

        private mutating func number() -> Bool {
            var text = ""
            var hasFraction = false
            while let scalar = rest.first {
                let isPoint = scalar == "." || scalar == "," && comma == .isDecimalPoint
                if isPoint, !hasFraction, isDigit(rest.dropFirst().first) {
                    hasFraction = true
                    text.append(".")
                } else if isDigit(scalar) {
                    text.unicodeScalars.append(scalar)
                } else {
                    break
                }
                rest.removeFirst()
            }
            guard text.utf8.count <= 20, let value = Double(text) else { return false }
            // Two numbers with nothing between, as in 1.2.3, are none.
            if case .number = tokens.last, rest.first == "." { return false }
            tokens.append(.number(value, hasFraction: hasFraction))
            return rest.first != "."
        }

        private mutating func symbol(_ scalar: Unicode.Scalar, isSpaced: Bool) -> Bool {
            rest.removeFirst()
            switch scalar {
            case "°", "º", "˚": tokens.append(.unit(.degree))
            case "'", "′", "’", "‘", "´":
                // Two of them are a sign of seconds.
                if tokens.last == .unit(.minute), !isSpaced {
                    tokens[tokens.count - 1] = .unit(.second)
                } else {
                    tokens.append(.unit(.minute))
                }
            case "\"", "″", "”", "“": tokens.append(.unit(.second))
            case ",", ";", "，", "；", "、": tokens.append(.separator)
            case "/": tokens.append(.slash)
            case "+", "-", "−", "–":
                let isBetweenBlanks = isSpaced && rest.first?.properties.isWhitespace ?? false
                let isBeforeLetter = rest.first?.properties.isAlphabetic ?? false
                // "12-34" and "3.5 + 4.5" are no pairs of numbers.
                if case .number = tokens.last,
                    scalar == "+" ? !isSpaced || isBetweenBlanks : !isSpaced && !isBeforeLetter
                {
                    return false
                }
                // In "48.5, - 2.25" it is a sign.
                let isDash =
                    isBetweenBlanks ? isBehindAngle : !isSpaced && (isBeforeLetter || isBehindHemisphere)
                tokens.append(scalar == "+" ? .plus : isDash ? .dash : .minus)
            case "—": tokens.append(.dash)
            case ":", "=":
                guard case .label = tokens.last else { return false }
            default: return false
            }
            return true
        }

        /// In "47.6N-122.3W", but not in "N-47.6".
        private var isBehindHemisphere: Bool {
            guard case .hemisphere = tokens.last else { return false }
            return switch tokens.dropLast().last {
            case .number, .unit: true
            default: false
            }
        }

        private var isBehindAngle: Bool {
            switch tokens.last {
            case .number, .unit, .hemisphere, .openLongitude: true
            default: false
            }
        }

        private mutating func word() -> Bool {
            // "Süd" may be written with a mark behind the u.
            let letters = rest.prefix {
                ($0.properties.isAlphabetic || $0.properties.generalCategory == .nonspacingMark)
                    && !isDegree($0)
            }
            rest = rest.dropFirst(letters.count)
            guard letters.count <= 9 else { return false }
            if let token = token(of: Substring(letters)) {
                tokens.append(token)
                return true
            }
            // "7.68sS"
            guard let first = letters.first, let unit = token(of: Substring(Character(first).description)),
                case .unit = unit
            else { return false }
            tokens.append(unit)
            guard let second = token(of: Substring(letters.dropFirst())) else { return false }
            tokens.append(second)
            return true
        }

        private func token(of word: Substring) -> AngleToken? {
            switch word {
            case "d": return .unit(.degree)
            case "m": return .unit(.minute)
            case "s" where isAfterMinutes: return .unit(.second)
            default: break
            }
            return switch word.lowercased() {
            case "deg", "degree", "degrees", "度", "도": .unit(.degree)
            case "min", "minute", "minutes", "分", "분": .unit(.minute)
            case "sec", "second", "seconds", "秒", "초": .unit(.second)
            case "o": .openLongitude
            case "lat", "latitude", "latitud", "breite", "широта", "위도", "緯度", "纬度": .label(.latitude)
            case "lon", "lng", "long", "longitude", "longitud", "länge", "долгота", "경도", "経度", "經度", "经度":
                .label(.longitude)
            default: AngleToken.hemisphere(word)
            }
        }

        /// Whether an "s" means seconds rather than south: a number comes before it, and minutes before that.
        private var isAfterMinutes: Bool {
            guard case .number = tokens.last else { return false }
            return tokens.dropLast().last == .unit(.minute)
        }
    }
}
