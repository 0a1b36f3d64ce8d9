import Testing

@testable import AppleButton

@Suite("Texts of the button")
struct ButtonTextTests {
    private typealias Box = (left: Double, top: Double, right: Double, bottom: Double)

    private static func box(_ path: PathData) -> Box {
        let points = path.contours.flatMap(\.self)
        return (
            points.map(\.x).min() ?? 0, points.map(\.y).min() ?? 0, points.map(\.x).max() ?? 0, points.map(\.y).max() ?? 0
        )
    }

    @Test("every text has all of its glyphs", arguments: ButtonLocale.allCases, AppleButton.Kind.allCases)
    func glyphs(_ locale: ButtonLocale, _ kind: AppleButton.Kind) {
        let line = Outlines.line(kind, locale)
        // A letter is one glyph, or two if it has a mark of its own. A mark may be a part of its letter.
        let letters = line.text.unicodeScalars.count { $0 != " " && $0.properties.generalCategory != .nonspacingMark }
        let glyphs = line.path.utf8.count { $0 == UInt8(ascii: "M") }
        #expect(glyphs >= letters, "\(glyphs) glyphs for \(line.text)")
        #expect(line.path.utf8.last == UInt8(ascii: "z"))
        #expect(line.text.contains("Apple"))
    }

    @Test("every text fits into the smallest and the largest button", arguments: ButtonLocale.allCases, AppleButton.Kind.allCases)
    func fit(_ locale: ButtonLocale, _ kind: AppleButton.Kind) {
        for (width, height) in [(140, 30), (130, 30), (130, 64), (375, 30), (375, 64)] {
            let button = AppleButton(kind: kind, locale: locale, height: height, width: width)
            let layout = ButtonLayout(button)
            let text = Self.box(PathData(Outlines.line(kind, locale).path, at: layout.text))
            let logo = Self.box(PathData(AppleLogo.path, at: layout.logo))
            let margin = 0.08 * Double(width)
            for part in [text, logo] {
                // A glyph may be wider than its advance by a part of its side bearing.
                #expect(part.left >= margin - 0.5 && part.right <= Double(width) - margin + 0.5, "\(button): \(part)")
                #expect(part.top >= 0.1 * Double(height) && part.bottom <= 0.9 * Double(height), "\(button): \(part)")
            }
            #expect(locale.isRightToLeft ? text.right < logo.left : logo.right < text.left, "\(button)")
            // The content is centered, except for the side bearings of its first and last glyph.
            let (left, right) = (min(text.left, logo.left), Double(width) - max(text.right, logo.right))
            #expect(abs(left - right) < 0.06 * Double(height), "\(button): \(left) and \(right)")
        }
    }

    @Test("only the English texts are English, and the three texts of a language differ", arguments: ButtonLocale.allCases)
    func languages(_ locale: ButtonLocale) {
        let texts = AppleButton.Kind.allCases.map { AppleButton.text($0, locale) }
        #expect(Set(texts).count == 3)
        let english = AppleButton.Kind.allCases.map { AppleButton.text($0, .english) }
        let isEnglish = locale == .english || locale == .britishEnglish
        for (text, other) in zip(texts, english) { #expect((text == other) == isEnglish, "\(text)") }
        for kind in AppleButton.Kind.allCases {
            let isSame = Outlines.line(kind, locale).path == Outlines.line(kind, .english).path
            #expect(isSame == isEnglish, "\(kind)")
        }
    }

    @Test("the smallest button of Apple's guidelines has the whole font size in English")
    func fontSize() {
        for (width, height) in [(140, 30), (375, 64)] {
            let layout = ButtonLayout(AppleButton(height: height, width: width))
            #expect(abs(layout.text.scale * 1000 - 0.43 * Double(height)) < 1e-9)
            #expect(abs(layout.logo.scale * 1000 - 19.0 / 44 * Double(height)) < 1e-9)
        }
    }

    @Test("a language without a region has a locale, and a language that Apple lacks has none")
    func language() {
        let expected: [String: ButtonLocale] = [
            "en": .english, "de": .german, "fr": .french, "es": .spanish, "it": .italian, "pt": .brazilianPortuguese, "nl": .dutch,
            "ja": .japanese, "ko": .korean, "zh-Hans": .simplifiedChinese, "zh-Hant": .traditionalChinese, "ar": .arabic, "he": .hebrew,
            "tr": .turkish, "pl": .polish, "nb": .norwegian, "uk": .ukrainian, "es-MX": .mexicanSpanish, "zh-HK": .hongKongChinese,
            "pt-PT": .portuguese, "de-AT": .german,
        ]
        for (tag, locale) in expected { #expect(ButtonLocale(language: tag) == locale, "\(tag)") }
        for tag in ["", "xx", "-", "\u{212A}o", "d\u{301}e", "hi"] { #expect(ButtonLocale(language: tag) == nil, "\(tag)") }
        #expect(ButtonLocale.allCases.count == 37)
        #expect(ButtonLocale.hebrew.languageTag == "he-IL" && ButtonLocale.traditionalChinese.languageTag == "zh-TW")
    }

    @Test("a page gets the button of each style, and the text for screen readers")
    func page() {
        let svg = AppleButton.svg(style: .outlined, kind: .continueWith, locale: .canadianFrench, width: 300, height: 44, cornerRadius: 20)
        #expect(svg.hasPrefix("<svg ") && svg.contains("width=\"300\" height=\"44\"") && svg.contains("stroke=\"#000\""))
        #expect(svg.contains("lang=\"fr-CA\" xml:lang=\"fr-CA\"") && svg.contains("<title>Continuer avec Apple</title>"))
        #expect(svg.contains("role=\"img\" aria-label=\"Continuer avec Apple\""))
        #expect(AppleButton.svg(style: .white).contains("fill=\"#fff\"/>") && !AppleButton.svg(style: .black).contains("stroke"))
        #expect(AppleButton.text(.signUp, .canadianFrench) == "S’inscrire avec Apple")
    }
}
