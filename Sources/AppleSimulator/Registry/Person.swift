/// A holder of an Apple Account, who can be chosen on the sign-in page.
struct Person: Sendable, Identifiable {
    /// How Apple writes `email_verified` and `is_private_email` for this person: all three have been seen.
    enum BooleanStyle: String, CaseIterable, Sendable {
        case strings, booleans
        /// Neither claim is sent.
        case omitted
    }

    /// The name in lower case with hyphens, such as `ada-lovelace`.
    let id: String
    var givenName: String
    var familyName: String
    /// nil for accounts without one, as at Work & School.
    var email: String?
    var booleanStyle: BooleanStyle
    /// The `org_id` of a managed account.
    var organization: String?

    var fullName: String {
        familyName.isEmpty ? givenName : "\(givenName) \(familyName)"
    }

    /// A person made from a name alone, as `Simulator-Person: NAME` makes one: the first word is the given name.
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
        // By scalar: U+200D behind a space makes one `Character` that is not white space.
        let words = name.unicodeScalars.split(maxSplits: 1, whereSeparator: \.properties.isWhitespace).map { String($0) }
        return (words.first ?? "", words.count == 2 ? words[1] : "")
    }

    /// Those who are there from the start: one with string Booleans, two with real ones, one at Work & School without e-mail.
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
