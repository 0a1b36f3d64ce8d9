import Access
import Apple
import Foundation
import Hummingbird
import Postgres
import Sealing
package import Web

/// The identifiers and the key of a new connection.
package struct NewConnection: Sendable {
    let teamID, servicesID, keyID, pem: String
    let bundleIDs, emailSources: [String]
    let key: ApplePrivateKey

    init(_ request: Request) async throws {
        var fields = try await JSONFields(request)
        try self.init(&fields) { try $0.finish() }
    }

    /// - Parameters:
    ///   - prefix: the start of the name of each member, in an interface with other names.
    ///   - finish: reports the invalid members.
    /// - Throws: `Problem` 400 that names an invalid PEM and swapped identifiers.
    package init(_ fields: inout JSONFields, prefix: String = "", finish: (inout JSONFields) throws -> Void) throws {
        let teamID = fields.text("\(prefix)team_id", 1...255, isRequired: true)
        let servicesID = fields.text("\(prefix)services_id", 1...255, isRequired: true)
        let keyID = fields.text("\(prefix)key_id", 1...255, isRequired: true)
        bundleIDs = fields.texts("\(prefix)bundle_ids", count: 0...20, refusal: AppleIdentifiers.refusal(ofBundleID:)) ?? []
        emailSources =
            fields.texts("\(prefix)email_sources", count: 0...100, refusal: AppleIdentifiers.refusal(ofEmailSource:)) ?? []
        let pem = fields.block("\(prefix)private_key", isRequired: true)
        if let teamID, let refusal = AppleIdentifiers.refusal(ofTeamID: teamID, servicesID: servicesID, keyID: keyID) {
            fields.refuse("\(prefix)team_id", refusal)
        }
        if let servicesID, let refusal = AppleIdentifiers.refusal(ofServicesID: servicesID) {
            fields.refuse("\(prefix)services_id", refusal)
        }
        if let keyID, let refusal = AppleIdentifiers.refusal(ofKeyID: keyID, teamID: teamID) { fields.refuse("\(prefix)key_id", refusal) }
        let key = pem.flatMap { fields.applePrivateKey($0, from: "\(prefix)private_key") }
        try finish(&fields)
        guard let teamID, let servicesID, let keyID, let pem, let key else { throw Problem(.invalid, "A required field is missing.") }
        (self.teamID, self.servicesID, self.keyID, self.pem, self.key) = (teamID, servicesID, keyID, pem, key)
    }
}

extension JSONFields {
    /// Reads the key from a PEM that was sent as `private_key`. A text that is not an Apple key is refused with its kind.
    mutating func applePrivateKey(_ pem: String, from name: String = "private_key") -> ApplePrivateKey? {
        do throws(ApplePrivateKey.Refusal) {
            return try ApplePrivateKey(pem: pem)
        } catch {
            refuse(name, error.description)
            return nil
        }
    }
}

extension ConnectionRoutes {
    /// The limit per tenant, because each connection is checked at Apple regularly.
    private static var mostConnections: Int { 10 }

    /// Creates a connection. Credentials that Apple refuses are stored too, because the error may be in Apple's portal. They do not sign
    /// until Apple has accepted them.
    @Sendable
    func createConnection(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let actor = ConnectionActor(call)
        let details = try await create(try await NewConnection(request), for: actor)
        return try .resource(
            reply(details, to: actor), updatedAt: details.updatedAt, status: .created,
            headers: [.location: actor.isPlatform ? request.uri.path : "\(request.uri.path)/\(details.connection.id)"])
    }

    /// Creates a connection for a caller that may do this.
    func create(_ body: NewConnection, for actor: ConnectionActor) async throws -> ConnectionDetails {
        // The time is read after the body has arrived. The doctor compares clocks, and a slow sender must not look like a slow clock.
        let now = now()
        try await actor.database(pool).transaction { try await requireRoom(for: actor, in: $0) }

        try requireQuestion(for: actor)
        let check = try await doctor.check(
            .init(
                teamID: body.teamID, servicesID: body.servicesID, keyID: body.keyID, key: .success(body.key),
                // The connection has no ID yet.
                share: AppleShare(connection: actor.owner, tenant: actor.owner)), at: now)

        let (id, key) = (ID<Connection>(at: now), ID<AppleKey>(at: now))
        let sealed = keyring.seal(Array(body.pem.utf8), in: AppleKey.context(owner: actor.owner, id: key))
        // The doctor has just run. Its next automatic check is due in a day.
        let due = now + 86_400
        var details: ConnectionDetails
        do {
            details = try await actor.database(pool).transaction { db in
                try await requireRoom(for: actor, in: db)
                _ = try await db.run([
                    """
                    INSERT INTO connection (tenant_id, id, team_id, services_id, bundle_ids, email_sources, checked_at, check_outcome,
                        check_steps, check_due_at, created_at, updated_at)
                    VALUES (\(actor.owner), \(id), \(body.teamID), \(body.servicesID), \(body.bundleIDs), \(body.emailSources), \(now),
                        \(check.outcome), \(try check.stepsAsJSON), \(due), \(now), \(now))
                    """,
                    AppleKey.insert(
                        key, owner: actor.owner, connection: id, keyID: body.keyID, sealedPEM: sealed, fingerprint: body.key.fingerprint,
                        state: check.provesKey ? .current : .next, provenAt: check.provesKey ? now : nil, at: now),
                ])
                guard let details = try await ConnectionDetails.find(id, owner: actor.owner, in: db)
                else { throw Problem.notFound("connection") }
                _ = try await db.run(try actor.audit(id, after: reply(details, to: actor), at: now))
                return details
            }
        } catch let error as DatabaseError where error.constraint == "connection_shared" {
            throw Self.isThere
        }
        if actor.isPlatform { details.isServing = try await isSharedConnectionInUse() }
        return details
    }

    private func requireRoom(for actor: ConnectionActor, in transaction: Transaction) async throws {
        try await requirePlan(for: actor, in: transaction)
        let count =
            try await transaction.run("SELECT count(*) AS n FROM connection WHERE tenant_id = \(actor.owner)")
            .first { try $0.get("n", as: Int.self) } ?? 0
        if actor.isPlatform, count > 0 { throw Self.isThere }
        guard count < Self.mostConnections else {
            throw Problem(
                .conflict, "There are already \(count) connections. The limit is \(Self.mostConnections). Delete an unused one.")
        }
    }

    private static var isThere: Problem {
        Problem(.alreadyExists, "The platform already has a connection. Change it, or delete it first.")
    }
}
