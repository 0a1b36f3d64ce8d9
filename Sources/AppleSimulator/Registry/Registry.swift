import Crypto
import Foundation
import HTTPTypes

/// The registrations in Apple's developer portal (teams with their Services IDs and keys), and the people who can sign in.
///
/// Each change is checked as in the portal. A rejected change leaves the registry unchanged.
package struct Registry: Sendable {
    private(set) var teams: [Team.ID: Team] = [:]
    private(set) var servicesIDs: [ServicesID.ID: ServicesID] = [:]
    private(set) var keys: [AppleKey.ID: AppleKey] = [:]
    private(set) var people: [Person.ID: Person] = [:]
    /// The people in the order of their creation, for the page.
    private(set) var peopleInOrder: [Person.ID] = []
    private var teamOfBundleID: [String: Team.ID] = [:]
    private var activeKeyCount: [Team.ID: Int] = [:]

    /// An empty portal with the four default people.
    package init() {
        for person in Person.defaults { put(person) }
    }

    /// A resolved client ID: its team and its kind.
    enum Client {
        case website(ServicesID)
        case app(bundleID: String, team: Team.ID)

        var id: String {
            switch self {
            case .website(let servicesID): servicesID.id
            case .app(let bundleID, _): bundleID
            }
        }

        var team: Team.ID {
            switch self {
            case .website(let servicesID): servicesID.team
            case .app(_, let team): team
            }
        }
    }

    /// Case-sensitive, as at Apple.
    func client(_ id: String) -> Client? {
        // A dictionary finds a K for a Kelvin sign.
        guard id.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if let servicesID = servicesIDs[id] { return .website(servicesID) }
        return teamOfBundleID[id].map { .app(bundleID: id, team: $0) }
    }

    /// Creates the team or replaces its settings. Its Services IDs and keys stay.
    mutating func put(_ team: Team) throws(RegistryError) {
        guard Self.isPortalID(team.id) else { throw RegistryError(path: "id", "must be ten capital letters and digits") }
        for bundleID in team.bundleIDs {
            guard Self.isReverseDomain(bundleID) else {
                throw RegistryError(path: "bundle_ids", "must be identifiers such as com.example.app")
            }
            if let owner = client(bundleID), case .app(_, team.id) = owner { continue }
            guard client(bundleID) == nil else {
                throw RegistryError(path: "bundle_ids", "contains an identifier that is already in use", status: .conflict)
            }
        }
        if let url = team.notificationURL, !Self.isWebURL(url) {
            throw RegistryError(path: "notification_url", "must be an absolute http or https URL")
        }
        for bundleID in teams[team.id]?.bundleIDs ?? [] { teamOfBundleID[bundleID] = nil }
        for bundleID in team.bundleIDs { teamOfBundleID[bundleID] = team.id }
        teams[team.id] = team
    }

    /// Creates the Services ID or replaces its display name and return URLs.
    mutating func put(_ servicesID: ServicesID, allowsLoopback: Bool) throws(RegistryError) {
        guard Self.isReverseDomain(servicesID.id) else {
            throw RegistryError(path: "id", "must be an identifier such as com.example.web")
        }
        guard let team = teams[servicesID.team] else { throw RegistryError(path: "team", "is not registered") }
        if let owner = client(servicesID.id) {
            guard case .website(let existing) = owner, existing.team == team.id else {
                throw RegistryError(path: "id", "is already in use", status: .conflict)
            }
        }
        guard servicesID.returnURLs.count <= team.kind.returnURLLimit else {
            throw RegistryError(
                path: "return_urls", "are limited to \(team.kind.returnURLLimit) for a team that is an \(team.kind.rawValue)")
        }
        for (index, url) in servicesID.returnURLs.enumerated() {
            if let reason = ReturnURL.refusal(of: url, allowsLoopback: allowsLoopback) {
                throw RegistryError(path: "return_urls[\(index)]", reason)
            }
        }
        servicesIDs[servicesID.id] = servicesID
    }

    /// Moves a client from its team to another one. Keys stay with the old team.
    mutating func move(_ client: Client, to team: Team.ID) throws(RegistryError) {
        guard teams[team] != nil else { throw RegistryError(path: "team", "is not registered") }
        guard client.team != team else { throw RegistryError(path: "team", "already has it", status: .conflict) }
        switch client.asOf(team) {
        case .website(let servicesID): servicesIDs[servicesID.id] = servicesID
        case .app(let bundleID, _):
            teams[client.team]?.bundleIDs.removeAll { $0 == bundleID }
            teams[team]?.bundleIDs.append(bundleID)
            teamOfBundleID[bundleID] = team
        }
    }

    mutating func add(_ key: AppleKey) throws(RegistryError) {
        guard Self.isPortalID(key.id) else { throw RegistryError(path: "id", "must be ten capital letters and digits") }
        guard teams[key.team] != nil else { throw RegistryError(path: "team", "is not registered") }
        guard keys[key.id] == nil else { throw RegistryError(path: "id", "is already in use", status: .conflict) }
        guard activeKeyCount[key.team, default: 0] < Team.keyLimit else {
            throw RegistryError(path: "team", "already has two keys; revoke one first", status: .conflict)
        }
        keys[key.id] = key
        activeKeyCount[key.team, default: 0] += 1
    }

    mutating func revokeKey(_ id: AppleKey.ID) throws(RegistryError) {
        guard let key = keys[id] else { throw RegistryError(path: "key", "is not registered", status: .notFound) }
        guard key.status == .active else { return }
        keys[id]?.status = .revoked
        activeKeyCount[key.team, default: 0] -= 1
    }

    mutating func put(_ person: Person) {
        if people.updateValue(person, forKey: person.id) == nil { peopleInOrder.append(person.id) }
    }

    /// Only for a registry with its own people.
    mutating func removePeople() {
        (people, peopleInOrder) = ([:], [])
    }

    /// Returns a Key ID that no key has yet.
    func freeKeyID() -> AppleKey.ID {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        while true {
            let id = String((0..<10).map { _ in alphabet.randomElement()! })
            if keys[id] == nil { return id }
        }
    }

    private static func isPortalID(_ id: String) -> Bool {
        id.utf8.count == 10 && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    private static func isReverseDomain(_ id: String) -> Bool {
        // A Kelvin sign matches K in a pattern.
        id.utf8.count <= 255 && id.utf8.allSatisfy { $0 < 0x80 } && id.wholeMatch(of: /[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+/) != nil
    }

    private static func isWebURL(_ url: String) -> Bool {
        guard let parsed = URL(string: url), let host = parsed.host() else { return false }
        return (parsed.scheme == "https" || parsed.scheme == "http") && !host.isEmpty
    }
}
