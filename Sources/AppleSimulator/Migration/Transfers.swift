import Foundation

/// The apps that were transferred between teams, and the teams that may query their users.
struct Transfers: Sendable {
    /// The transfer of one client between teams. Apple's page "Transferring your apps and users to another team".
    struct Transfer: Sendable {
        let from: Team.ID
        let to: Team.ID
        let at: Date
        /// The people who had consented before the transfer. All others belong only to the new team.
        let people: Set<Person.ID>
    }

    /// A team's permission to migrate users.
    struct Token: Sendable {
        let team: Team.ID
        let expires: Date
    }

    /// The seconds after a transfer in which both teams may query users, and id_tokens contain the transfer
    /// identifier: 60 days.
    static let window: TimeInterval = 60 * 86_400
    static let tokenLifetime: TimeInterval = 3600

    private var transfers: [String: Transfer] = [:]
    private var tokens: [String: Token] = [:]

    /// Returns the transfer of a client within its 60 days.
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
    /// Returns the identifier of the person between two teams, during the client's transfer.
    func transferSubject(of consent: Grants.Consent, clientID: String, at now: Date) -> String? {
        guard let transfer = transfers.underWay(clientID, at: now), consent.team == transfer.to,
            transfer.people.contains(consent.person.id)
        else { return nil }
        return Grants.transferSubject(of: consent.person.id, from: transfer.from, to: transfer.to)
    }
}

extension Registry.Client {
    /// Returns the same client as a client of its former team.
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
