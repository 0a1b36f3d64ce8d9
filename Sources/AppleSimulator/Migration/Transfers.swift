import Foundation

/// The apps that went from one team to another, and who may ask about their users.
struct Transfers: Sendable {
    /// One client's way from team to team. Apple's page "Transferring your apps and users to another team".
    struct Transfer: Sendable {
        let from: Team.ID
        let to: Team.ID
        let at: Date
        /// Who had consented by then: the others are the new team's alone.
        let people: Set<Person.ID>
    }

    /// Leave to migrate, given to a team.
    struct Token: Sendable {
        let team: Team.ID
        let expires: Date
    }

    /// For how long after it both teams may ask, and id_tokens say who is who, in seconds: 60 days.
    static let window: TimeInterval = 60 * 86_400
    static let tokenLifetime: TimeInterval = 3600

    private var transfers: [String: Transfer] = [:]
    private var tokens: [String: Token] = [:]

    /// The transfer of a client whose 60 days have not passed.
    func underWay(_ clientID: String, at now: Date) -> Transfer? {
        transfers[clientID].flatMap { now < $0.at + Self.window ? $0 : nil }
    }

    mutating func add(_ transfer: Transfer, of clientID: String) {
        transfers[clientID] = transfer
    }

    mutating func issueToken(to team: Team.ID, at now: Date) -> String {
        tokens = tokens.filter { now < $0.value.expires }
        let value = "m\(randomToken(bytes: 32)).0.\(randomToken(bytes: 3))"
        tokens[value] = Token(team: team, expires: now + Self.tokenLifetime)
        return value
    }

    func isGood(_ token: String, of team: Team.ID, at now: Date) -> Bool {
        tokens[token].map { $0.team == team && now < $0.expires } ?? false
    }
}

extension SimulatedApple.State {
    /// What stands for the person between two teams, while the client is on its way.
    func transferSubject(of consent: Grants.Consent, clientID: String, at now: Date) -> String? {
        guard let transfer = transfers.underWay(clientID, at: now), consent.team == transfer.to,
            transfer.people.contains(consent.person.id)
        else { return nil }
        return Grants.transferSubject(of: consent.person.id, from: transfer.from, to: transfer.to)
    }
}

extension Registry.Client {
    /// The same client as another team's, which it was.
    func asOf(_ team: Team.ID) -> Registry.Client {
        switch self {
        case .website(let servicesID):
            .website(
                ServicesID(
                    id: servicesID.id, team: team, displayName: servicesID.displayName, returnURLs: servicesID.returnURLs))
        case .app(let bundleID, _): .app(bundleID: bundleID, team: team)
        }
    }
}
