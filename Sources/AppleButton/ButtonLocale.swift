import Encoding

/// A language of the button's text. The raw value is Apple's name for it.
package enum ButtonLocale: String, CaseIterable, Sendable {
    case arabic = "ar_SA"
    case catalan = "ca_ES"
    case czech = "cs_CZ"
    case danish = "da_DK"
    case german = "de_DE"
    case greek = "el_GR"
    case britishEnglish = "en_GB"
    case english = "en_US"
    case spanish = "es_ES"
    case mexicanSpanish = "es_MX"
    case finnish = "fi_FI"
    case canadianFrench = "fr_CA"
    case french = "fr_FR"
    case croatian = "hr_HR"
    case hungarian = "hu_HU"
    case indonesian = "id_ID"
    case italian = "it_IT"
    case hebrew = "iw_IL"
    case japanese = "ja_JP"
    case korean = "ko_KR"
    case malay = "ms_MY"
    case dutch = "nl_NL"
    case norwegian = "no_NO"
    case polish = "pl_PL"
    case brazilianPortuguese = "pt_BR"
    case portuguese = "pt_PT"
    case romanian = "ro_RO"
    case russian = "ru_RU"
    case slovak = "sk_SK"
    case swedish = "sv_SE"
    case thai = "th_TH"
    case turkish = "tr_TR"
    case ukrainian = "uk_UA"
    case vietnamese = "vi_VI"
    case simplifiedChinese = "zh_CN"
    case hongKongChinese = "zh_HK"
    case traditionalChinese = "zh_TW"

    /// Whether the text is read from right to left. Then the logo is on the right.
    package var isRightToLeft: Bool { self == .arabic || self == .hebrew }

    /// The tag of the language (RFC 5646). Apple's names `iw_IL`, `no_NO` and `vi_VI` contain an old code or a wrong region.
    package var languageTag: String {
        switch self {
        case .hebrew: "he-IL"
        case .norwegian: "nb-NO"
        case .vietnamese: "vi-VN"
        default: rawValue.replacing("_", with: "-")
        }
    }

    /// The locale for a language, with or without a region, for example `es-MX` or `zh-Hant`. Nil if Apple's button does not have the
    /// language.
    package init?(language tag: String) {
        if let exact = Self.allCases.first(where: { $0.languageTag.asciiLowercased.isSame(as: tag.asciiLowercased) }) {
            self = exact
            return
        }
        let language = String(tag.asciiLowercased.parts(at: "-").first ?? "")
        let ofLanguage: [String: ButtonLocale] = [
            "en": .english, "es": .spanish, "fr": .french, "pt": .brazilianPortuguese, "he": .hebrew, "nb": .norwegian,
            "zh": tag.asciiLowercased.begins(with: "zh-hant") ? .traditionalChinese : .simplifiedChinese,
        ]
        guard let found = ofLanguage[language] ?? Self.allCases.first(where: { $0.rawValue.parts(at: "_")[0].isSame(as: language) })
        else { return nil }
        self = found
    }
}
