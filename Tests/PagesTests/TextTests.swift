import Foundation
import Testing

@testable import Pages

/// Every text of the pages, in every language.
@Suite("Texts")
struct TextTests {
    /// Words of one language that are words of English, too.
    private static let sameAsInEnglish: [Language: Set<Text>] = [
        .dutch: [.code, .privacy], .french: [.application, .code, .aTerminal, .waitMinutes],
        .german: [.code, .passkeys, .aBrowser, .aTerminal],
        .spanish: [.aTerminal], .portuguese: [.aTerminal], .italian: [.password],
    ]

    /// Names that no language translates.
    private static let names = [
        "client_id", "redirect_uri", "request_uri", "id_token_hint", "session_id", "post_logout_redirect_uri", "allows_development_uris",
        "machine", "native", "localhost", "BCDF-GHJK", "Apple", "account.apple.com",
    ]

    private static func placeholders(_ words: String) -> [String] {
        words.matches(of: /\{([^{}]*)\}/).map { String($0.1) }.sorted()
    }

    @Test("every language has every text, and none is empty", arguments: Language.allCases)
    func complete(_ language: Language) {
        for text in Text.allCases {
            guard let words = language.texts[text] ?? language.peopleTexts[text] else {
                Issue.record("\(language) has no text \(text)")
                continue
            }
            #expect(!words.isEmpty && words == words.trimmingCharacters(in: .whitespacesAndNewlines), "\(language) \(text)")
            #expect(!words.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(language) \(text)")
        }
    }

    @Test("every text has the placeholders of English, each one once", arguments: Language.allCases)
    func placeholders(_ language: Language) {
        for text in Text.allCases {
            let (own, english) = (Self.placeholders(language.words(text)), Self.placeholders(Language.english.words(text)))
            #expect(own == english, "\(language) \(text)")
            #expect(Set(own).count == own.count && own.allSatisfy { Text.Placeholder(rawValue: $0) != nil }, "\(language) \(text)")
            let braces = language.words(text).filter { "{}".contains($0) }
            #expect(braces.count == 2 * own.count, "\(language) \(text)")
        }
    }

    @Test("every text is translated, except for words that both languages have", arguments: Language.allCases.dropFirst())
    func translated(_ language: Language) {
        let same = Set(Text.allCases.filter { language.words($0) == Language.english.words($0) })
        #expect(same == Self.sameAsInEnglish[language] ?? [], "\(language)")
    }

    @Test("every text has the names of English that no language translates", arguments: Language.allCases)
    func names(_ language: Language) {
        for text in Text.allCases {
            for name in Self.names where Language.english.words(text).contains(name) {
                #expect(language.words(text).contains(name), "\(language) \(text): \(name)")
            }
        }
    }

    @Test("a name keeps its direction, and that of the words around it")
    func isolated() {
        let values: [Text.Placeholder: String] = [.application: "a (1)", .machine: "b-2"]
        for language in Language.allCases {
            let text = language.text(.programOnMachine, values.mapValues(language.isolated))
            for value in values.values {
                #expect(text.contains(language.isRightToLeft ? "\u{2068}\(value)\u{2069}" : value), "\(language) \(text)")
            }
            #expect(language.isRightToLeft == text.contains("\u{2068}"), "\(language) \(text)")
            for joining in LanguageChoiceTests.joining { #expect(language.isolated("\(joining)a") == "\u{2068}\(joining)a\u{2069}") }
        }
    }

    @Test("a wait is in the unit that people read, and never one of it", arguments: Language.allCases)
    func wait(_ language: Language) {
        let english = [
            (1, "2 seconds"), (2, "2 seconds"), (90, "90 seconds"), (91, "2 minutes"), (900, "15 minutes"), (901, "16 minutes"),
            (3600, "60 minutes"), (7140, "119 minutes"), (7200, "2 hours"), (7201, "3 hours"), (86400, "24 hours"),
        ]
        for (seconds, words) in english {
            if language == .english { #expect(language.wait(seconds) == words) }
            let text = language.text(.tooManyAttempts, [.wait: language.wait(seconds)])
            #expect(text.contains(words.prefix { $0 != " " }) && !text.contains("{"), "\(text)")
        }
    }

    @Test("a value is not read for placeholders, and a placeholder without a value stays")
    func values() {
        let english = Language.english
        #expect(english.text(.signInTitle, [.application: "{application}{user}"]) == "Sign in to {application}{user}")
        #expect(english.text(.signInTitle) == "Sign in to {application}")
        #expect(english.pieces(.minutesAgo, [.minutes: "3"]) == [.value("3"), .words(" minutes ago")])
        // Swift joins these with the braces beside them.
        for joining in LanguageChoiceTests.joining {
            let value = "\(joining){user}\(joining)"
            #expect(Array(english.text(.signInTitle, [.application: value]).utf8) == Array("Sign in to \(value)".utf8))
        }
    }
}
