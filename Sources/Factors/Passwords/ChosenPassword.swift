extension Password {
    /// In Unicode code points, as NIST counts them (SP 800-63B-4, section 3.1.1.2). NIST permits 8 only together with a second factor,
    /// and demands 15 for a password alone.
    package static let leastCharacters = 8

    /// The reason why a person may not choose a password.
    package enum Refusal: Error, Equatable, CaseIterable, CustomStringConvertible {
        case tooShort
        case tooLong
        /// It contains a control character or an unassigned code point. Nobody types these on purpose.
        case unreadable
        /// It is in the list of common passwords.
        case common
        /// It repeats a short text, is a row of neighbors such as `abcdefgh`, or is a date.
        case predictable
        case containsAddress
        case containsProduct

        package var description: String {
            switch self {
            case .tooShort: "The password is too short. Choose one with at least \(Password.leastCharacters) characters."
            case .tooLong: "The password is too long. Choose one with at most \(Password.mostBytes) bytes."
            case .unreadable: "The password contains a character that cannot be typed. Use letters, digits, spaces and punctuation."
            case .common: "Many people use this password, so attackers try it first. Choose another one."
            case .predictable: "The password is a repetition, a sequence or a date, so it is easy to guess. Choose another one."
            case .containsAddress: "The password contains your email address, so it is easy to guess. Choose one without it."
            case .containsProduct: "The password contains the name of this product, so it is easy to guess. Choose one without it."
            }
        }
    }

    /// Reads a password that a person chooses. There are no rules about kinds of characters, which NIST forbids.
    /// - Parameters:
    ///   - address: The person's email address. The part before the `@` counts too, if it has 4 bytes or more.
    ///   - products: The names of the product, and of the tenant if it has its own pages. A name with less than 4 bytes does not count.
    package init(chosen typed: String, address: String, products: [String] = ["Espalier"]) throws(Refusal) {
        guard let password = Password(typed: typed) else { throw .tooLong }
        let text = password.text
        guard text.unicodeScalars.count >= Self.leastCharacters else { throw .tooShort }
        guard text.unicodeScalars.allSatisfy(\.isTypable) else { throw .unreadable }
        let lowercased = text.withoutCase
        let local = address.utf8.lastIndex(of: UInt8(ascii: "@")).map { String(address[..<$0]) }
        guard ![address, local ?? ""].contains(where: { lowercased.hasWord($0) }) else { throw .containsAddress }
        guard !products.contains(where: { lowercased.hasWord($0) }) else { throw .containsProduct }
        guard !CommonPasswords.contains(lowercased) else { throw .common }
        guard !lowercased.isPredictable else { throw .predictable }
        self = password
    }
}

extension String {
    /// The lowercased text in bytes, for comparisons in which case does not count.
    fileprivate var withoutCase: [UInt8] { Array(lowercased().utf8) }
}

extension [UInt8] {
    /// Whether these lowercased bytes contain a word. Short words are in too many good passwords.
    fileprivate func hasWord(_ word: String) -> Bool {
        // The password is in form C, so the word must be too.
        let bytes = word.inFormC.withoutCase
        return bytes.count >= 4 && firstRange(of: bytes) != nil
    }
}

extension Unicode.Scalar {
    /// A later version of Unicode can change the normal form of a code point that is unassigned today. Then the password would no longer
    /// match (UAX 15, section 12.1).
    fileprivate var isTypable: Bool {
        switch properties.generalCategory {
        case .control, .unassigned, .surrogate: false
        default: true
        }
    }
}
