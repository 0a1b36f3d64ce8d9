/// A language of the pages for people. The raw value is its tag (RFC 5646).
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case italian = "it"
    case portuguese = "pt"
    case dutch = "nl"
    case japanese = "ja"
    case korean = "ko"
    case simplifiedChinese = "zh-Hans"
    case traditionalChinese = "zh-Hant"
    case arabic = "ar"
    case hebrew = "he"
    case turkish = "tr"
    case polish = "pl"

    /// Whether the language is written from right to left.
    package var isRightToLeft: Bool { self == .arabic || self == .hebrew }

    /// Whether people write the family name before the given name.
    var putsFamilyNameFirst: Bool { [.japanese, .korean, .simplifiedChinese, .traditionalChinese].contains(self) }
}
