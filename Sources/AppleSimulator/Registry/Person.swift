/// A person with an Apple Account, for the sign-in page.
struct Person: Sendable, Identifiable {
    /// The form of `email_verified` and `is_private_email` for this person. Apple has sent all three.
    enum BooleanStyle: String, CaseIterable, Sendable {
        case strings, booleans
        /// Neither claim is sent.
        case omitted
    }

    /// The name in lowercase with hyphens, such as `ada-lovelace`.
    let id: String
    var givenName: String
    var familyName: String
    /// Nil for accounts without an address, such as Work & School accounts.
    var email: String?
    var booleanStyle: BooleanStyle
    /// The `org_id` of a managed account.
    var organization: String?

    var fullName: String {
        familyName.isEmpty ? givenName : "\(givenName) \(familyName)"
    }

    /// Creates a person from a name alone, as for `Simulator-Person: NAME`. The first word is the given name.
    init(named name: String, id: String? = nil) {
        let id = id ?? Self.id(of: name)
        self.id = id
        (givenName, familyName) = Self.split(name)
        email = "\(id)@example.com"
        booleanStyle = .booleans
        organization = nil
    }

    init(id: String, givenName: String, familyName: String, email: String?, booleanStyle: BooleanStyle, organization: String?) {
        self.id = id
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.booleanStyle = booleanStyle
        self.organization = organization
    }

    static func id(of name: String) -> String {
        name.lowercased().unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { String($0) }.joined(separator: "-")
    }

    static func split(_ name: String) -> (given: String, family: String) {
        // By scalar, because U+200D after a space makes one `Character` that is not white space.
        let words = name.unicodeScalars.split(maxSplits: 1, whereSeparator: \.properties.isWhitespace).map { String($0) }
        return (words.first ?? "", words.count == 2 ? words[1] : "")
    }

    /// The people at the start: one with string Booleans, two with real ones, and a Work & School account without an
    /// email address.
    static let defaults: [Person] = [
        Person(
            id: "ada-lovelace", givenName: "Ada", familyName: "Lovelace", email: "ada-lovelace@example.com",
            booleanStyle: .strings, organization: nil),
        Person(named: "Grace Hopper"),
        Person(named: "Alan Turing"),
        Person(
            id: "katherine-johnson", givenName: "Katherine", familyName: "Johnson", email: nil,
            booleanStyle: .omitted, organization: "langley.example"),
    ]
}
