import Crypto
package import Foundation

/// The registry as JSON, in a file and over HTTP:
/// ```
/// {"teams": [{"id": "A1B2C3D4E5", "kind": "organization", "bundle_ids": ["com.example.app"],
///             "notification_url": "https://…",
///             "services_ids": [{"id": "com.example.web", "display_name": "Example", "return_urls": ["https://…"]}],
///             "keys": [{"id": "K1B2C3D4E5", "public_key": "-----BEGIN PUBLIC KEY-----…"}]}],
///  "people": [{"name": "Ada Lovelace", "email": "ada@example.com", "boolean_style": "strings", "organization": "…"}]}
/// ```
/// `kind` is `organization` (the default) or `individual`. Without `people`, the registry has the four default people. A person
/// has an optional `id` (default: the name in lowercase with hyphens) and an optional `email` (default: an address at
/// example.com; null means none).
extension Registry {
    /// Reads a registry file.
    /// - Throws: ``RegistryError`` with the invalid field; Foundation's error if the file is not readable.
    package init(contentsOf file: URL, allowsLoopback: Bool = true) throws {
        try self.init(json: Data(contentsOf: file), allowsLoopback: allowsLoopback)
    }

    /// Reads a registry document.
    /// - Throws: ``RegistryError`` with the invalid field.
    package init(json: Data, allowsLoopback: Bool = true) throws(RegistryError) {
        self.init()
        guard let document = try? JSONValue(parsing: json) else { throw RegistryError("is not JSON") }
        var fields = try JSONFields(document)
        let (teams, people) = (try fields.array("teams"), try fields.array("people"))
        try fields.end()
        for (value, path) in teams { try addTeam(value, at: path, allowsLoopback: allowsLoopback) }
        if !people.isEmpty { removePeople() }
        for (value, path) in people {
            let person = try Person(JSONFields(value, at: path))
            guard self.people[person.id] == nil else { throw RegistryError(path: path, "occurs twice") }
            put(person)
        }
    }

    private mutating func addTeam(_ value: JSONValue, at path: String, allowsLoopback: Bool) throws(RegistryError) {
        var fields = try JSONFields(value, at: path)
        let id = try fields.string("id")
        let (servicesIDs, keys) = (try fields.array("services_ids"), try fields.array("keys"))
        guard teams[id] == nil else { throw fields.error("id", "occurs twice") }
        let team = try Team(id: id, fields)
        do throws(RegistryError) { try put(team) } catch { throw error.under(path) }
        for (value, path) in servicesIDs {
            var fields = try JSONFields(value, at: path)
            let clientID = try fields.string("id")
            guard self.servicesIDs[clientID] == nil else { throw fields.error("id", "occurs twice") }
            let servicesID = try ServicesID(id: clientID, team: id, fields)
            do throws(RegistryError) { try put(servicesID, allowsLoopback: allowsLoopback) } catch { throw error.under(path) }
        }
        for (value, path) in keys {
            var fields = try JSONFields(value, at: path)
            let (keyID, pem) = (try fields.string("id"), try fields.string("public_key"))
            let key = AppleKey(id: keyID, team: id, publicKey: try AppleKey.parse(pem, for: fields), status: .active)
            try fields.end()
            do throws(RegistryError) { try add(key) } catch { throw error.under(path) }
        }
    }

    /// The registry in the format of a registry file.
    var json: JSONValue {
        let teams = teams.values.sorted { $0.id < $1.id }.map { team -> JSONValue in
            [
                "id": .string(team.id), "kind": .string(team.kind.rawValue),
                "bundle_ids": .array(team.bundleIDs.map { .string($0) }),
                "notification_url": team.notificationURL.map { .string($0) } ?? .null,
                "services_ids": .array(servicesIDs.values.filter { $0.team == team.id }.sorted { $0.id < $1.id }.map(\.json)),
                "keys": .array(keys.values.filter { $0.team == team.id && $0.status == .active }.sorted { $0.id < $1.id }.map(\.json)),
            ]
        }
        return ["teams": .array(teams), "people": .array(peopleInOrder.compactMap { people[$0]?.json })]
    }
}

extension Team {
    /// Reads all fields except the ID.
    init(id: String, _ fields: consuming JSONFields) throws(RegistryError) {
        self.id = id
        kind = try fields.choice("kind", Kind.self) ?? .organization
        bundleIDs = try fields.strings("bundle_ids")
        notificationURL = try fields.optionalString("notification_url")
        try fields.end()
    }
}

extension ServicesID {
    /// Reads all fields except ID and team.
    init(id: String, team: Team.ID, _ fields: consuming JSONFields) throws(RegistryError) {
        self.id = id
        self.team = team
        displayName = try fields.string("display_name")
        returnURLs = try fields.strings("return_urls")
        try fields.end()
    }

    var json: JSONValue {
        ["id": .string(id), "display_name": .string(displayName), "return_urls": .array(returnURLs.map { .string($0) })]
    }
}

extension AppleKey {
    static func parse(_ pem: String, for fields: JSONFields) throws(RegistryError) -> P256.Signing.PublicKey {
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw fields.error("public_key", "must be a P-256 public key in PEM (BEGIN PUBLIC KEY)")
        }
        return key
    }

    var json: JSONValue {
        ["id": .string(id), "public_key": .string(publicKey.pemRepresentation)]
    }
}

extension Person {
    init(_ fields: consuming JSONFields) throws(RegistryError) {
        let name = try fields.string("name")
        guard name.count <= 200, !Person.id(of: name).isEmpty else { throw fields.error("name", "must have 1 to 200 characters") }
        self.init(named: name, id: try fields.optionalString("id").map(Person.id))
        switch fields.value("email") {
        case nil: break
        case .null: email = nil
        case .string(let address) where address.utf8.contains(UInt8(ascii: "@")): email = address
        default: throw fields.error("email", "must be an email address or null")
        }
        booleanStyle = try fields.choice("boolean_style", BooleanStyle.self) ?? .booleans
        organization = try fields.optionalString("organization")
        try fields.end()
    }

    var json: JSONValue {
        [
            "id": .string(id), "name": .string(fullName), "email": email.map { .string($0) } ?? .null,
            "boolean_style": .string(booleanStyle.rawValue), "organization": organization.map { .string($0) } ?? .null,
        ]
    }
}

extension RegistryError {
    /// Returns the same error for an object at `path` in a larger document.
    fileprivate func under(_ path: String) -> RegistryError {
        RegistryError(path: self.path.isEmpty ? path : "\(path).\(self.path)", reason, status: status)
    }
}
