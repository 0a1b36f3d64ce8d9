import Crypto
import Foundation

/// The consents of people to teams, and the codes and tokens for them. All are in memory, so a restart loses them.
struct Grants: Sendable {
    /// A person's consent to a team. It is given once for all clients, and ends with a revocation or the deletion of the
    /// account.
    struct Consent: Sendable {
        /// The reference in tokens. A consent that is given again after a revocation has another number.
        let serial: Int
        let person: Person
        let team: Team.ID
        /// The name from the sheet.
        let givenName: String
        let familyName: String
        /// The person's own address, a relay address, or nil if the account has none.
        let email: String?
        let isPrivateEmail: Bool
        /// The scopes of the first authorization. A later one gets no more.
        let scopes: Set<Scope>

        /// Stable for a person and a team, and the same after a restart.
        var subject: String { Grants.subject(of: person.id, team: team) }
    }

    /// An authorization code: single-use, valid for 5 minutes, bound to its client and redirect URI.
    struct Code: Sendable {
        let clientID: String
        /// Nil for the code of a native app.
        let redirectURI: String?
        let nonce: String?
        let consent: Consent
        /// Only for a native app's first authorization.
        let realUserStatus: Int?
        let expires: Date
    }

    struct Token: Sendable {
        enum Kind: Sendable { case access, refresh }
        let kind: Kind
        let clientID: String
        let consent: Consent
        /// Nil for a token that is valid until it is revoked.
        let expires: Date?
    }

    static let codeLifetime: TimeInterval = 300
    static let accessTokenLifetime: TimeInterval = 3600

    private struct ConsentKey: Hashable {
        let person: Person.ID
        let team: Team.ID
    }

    private var consents: [ConsentKey: Consent] = [:]
    /// The person of a subject, while the consent is valid.
    private var people: [String: ConsentKey] = [:]
    private var codes: [String: Code] = [:]
    private var tokens: [String: Token] = [:]
    private var lastSerial = 0
    private var issuedSinceSweep = 0

    func consent(of person: Person.ID, to team: Team.ID) -> Consent? {
        consents[ConsentKey(person: person, team: team)]
    }

    /// Returns all consents of a person, by team.
    func consents(of person: Person.ID) -> [Consent] {
        consents.values.filter { $0.person.id == person }.sorted { $0.team < $1.team }
    }

    /// Records a first authorization.
    mutating func consent(
        of person: Person, to team: Team.ID, givenName: String, familyName: String, hidesEmail: Bool, scopes: Set<Scope>
    ) -> Consent {
        lastSerial += 1
        let relays = hidesEmail && person.email != nil
        let consent = Consent(
            serial: lastSerial, person: person, team: team, givenName: givenName, familyName: familyName,
            email: relays ? Self.relayAddress(of: person.id, team: team) : person.email, isPrivateEmail: relays, scopes: scopes)
        store(consent)
        return consent
    }

    private mutating func store(_ consent: Consent) {
        let key = ConsentKey(person: consent.person.id, team: consent.team)
        consents[key] = consent
        people[consent.subject] = key
    }

    /// Ends the consent and all of its codes and tokens.
    mutating func endConsent(of person: Person.ID, to team: Team.ID) {
        if let ended = consents.removeValue(forKey: ConsentKey(person: person, team: team)) { people[ended.subject] = nil }
    }

    /// Returns the consent of a team's subject.
    func consent(subject: String, to team: Team.ID) -> Consent? {
        people[subject].flatMap { consents[$0] }.flatMap { $0.team == team ? $0 : nil }
    }

    /// Gives the other team the consents of the first team, because a transferred app keeps its users. A person who hides the
    /// address has another relay address there. The first team retains its consents for its other clients.
    /// - Returns: The people with transferred consents.
    mutating func transferConsents(from team: Team.ID, to other: Team.ID) -> Set<Person.ID> {
        let going = consents.values.filter { $0.team == team }
        for consent in going where self.consent(of: consent.person.id, to: other) == nil {
            lastSerial += 1
            store(
                Consent(
                    serial: lastSerial, person: consent.person, team: other, givenName: consent.givenName, familyName: consent.familyName,
                    email: consent.isPrivateEmail ? Self.relayAddress(of: consent.person.id, team: other) : consent.email,
                    isPrivateEmail: consent.isPrivateEmail, scopes: consent.scopes))
        }
        return Set(going.map(\.person.id))
    }

    mutating func issue(_ code: Code, at now: Date) -> String {
        sweep(at: now)
        let value = "c\(randomToken(bytes: 32)).0.\(randomToken(bytes: 3))"
        codes[value] = code
        return value
    }

    enum CodeRefusal: String, Error {
        case unknown = "the code is unknown, used or expired"
        case foreign = "the code was issued to another client"
        case redirectURI = "redirect_uri differs from the authorization request"
        case consentEnded = "the person has revoked consent"
    }

    /// Removes the code even if the rest does not match, so a second attempt fails.
    mutating func redeem(_ value: String, clientID: String, redirectURI: String?, at now: Date) throws(CodeRefusal) -> Code {
        guard let code = codes[value] else { throw .unknown }
        guard code.clientID == clientID else { throw .foreign }
        codes[value] = nil
        guard now < code.expires else { throw .unknown }
        guard code.redirectURI.map({ Array($0.utf8) }) == redirectURI.map({ Array($0.utf8) }) else { throw .redirectURI }
        guard isValid(code.consent) else { throw .consentEnded }
        return code
    }

    mutating func issue(_ kind: Token.Kind, for consent: Consent, clientID: String, at now: Date) -> String {
        let (prefix, lifetime) = kind == .access ? ("a", Self.accessTokenLifetime) : ("r", nil)
        let value = "\(prefix)\(randomToken(bytes: 32)).0.\(randomToken(bytes: 3))"
        tokens[value] = Token(kind: kind, clientID: clientID, consent: consent, expires: lifetime.map { now + $0 })
        return value
    }

    /// Returns the refresh token if it belongs to this client and is valid.
    func refreshToken(_ value: String, clientID: String) -> Token? {
        guard let token = tokens[value], token.kind == .refresh, token.clientID == clientID, isValid(token.consent) else { return nil }
        return token
    }

    /// Ends the consent of the token if it belongs to this client. Otherwise, nothing happens (RFC 7009, section 2.2).
    mutating func revoke(_ value: String, clientID: String) {
        guard let token = tokens[value], token.clientID == clientID else { return }
        tokens[value] = nil
        if isValid(token.consent) { endConsent(of: token.consent.person.id, to: token.consent.team) }
    }

    private func isValid(_ consent: Consent) -> Bool {
        self.consent(of: consent.person.id, to: consent.team)?.serial == consent.serial
    }

    /// Removes expired codes and tokens from time to time, because load tests issue a hundred thousand codes.
    private mutating func sweep(at now: Date) {
        issuedSinceSweep += 1
        guard issuedSinceSweep >= 4096 else { return }
        issuedSinceSweep = 0
        codes = codes.filter { now < $0.value.expires }
        tokens = tokens.filter { $0.value.expires.map { now < $0 } ?? true }
    }

    private static func digest(_ purpose: String, _ person: Person.ID, _ team: Team.ID) -> [UInt8] {
        Array(SHA256.hash(data: Data("\(purpose)\n\(team)\n\(person)".utf8)))
    }

    /// In Apple's format: six digits, 32 hexadecimal digits, four digits.
    static func subject(of person: Person.ID, team: Team.ID) -> String {
        let digest = digest("subject", person, team)
        let digits = digest[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let (head, tail) = (String(digits % 2000), String(digits / 2000 % 2400))
        return "\(String(repeating: "0", count: 6 - head.count))\(head).\(digest[..<16].hexadecimal)."
            + "\(String(repeating: "0", count: 4 - tail.count))\(tail)"
    }

    /// Returns the identifier of a person between two teams. It is always the same for one pair of teams, and differs
    /// for another pair.
    static func transferSubject(of person: Person.ID, from team: Team.ID, to other: Team.ID) -> String {
        subject(of: "transfer\n\(person)\n\(other)", team: team)
    }

    static func relayAddress(of person: Person.ID, team: Team.ID) -> String {
        let alphabet = Array("23456789bcdfghjkmnpqrstvwxyz")
        return String(digest("relay", person, team).prefix(10).map { alphabet[Int($0) % alphabet.count] }) + "@privaterelay.appleid.com"
    }
}
