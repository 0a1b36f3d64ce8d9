import Access
import Apple
import Foundation
import Hummingbird
import Postgres
import Sealing
import Web

private struct Body: Sendable {
    let keyID, pem: String
    let key: ApplePrivateKey

    init(_ request: Request, teamID: String) async throws {
        var fields = try await JSONFields(request)
        let keyID = fields.text("key_id", 1...255, isRequired: true) { AppleIdentifiers.refusal(ofKeyID: $0, teamID: teamID) }
        let pem = fields.block("private_key", isRequired: true)
        let key = pem.flatMap { fields.applePrivateKey($0) }
        try fields.finish()
        guard let keyID, let pem, let key else { throw Problem(.invalid, "`key_id` and `private_key` are required.") }
        (self.keyID, self.pem, self.key) = (keyID, pem, key)
    }
}

extension ConnectionRoutes {
    /// Adds the next Apple key. A key that Apple refuses is not stored, so a mistyped Key ID causes an error and does not affect logins. If
    /// Apple is unreachable, the key is stored unproven, and its promotion asks Apple again.
    @Sendable
    func addAppleKey(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let actor = ConnectionActor(call)
        let details = try await find(try call.connectionInPath, for: actor)
        let connection = details.connection
        let body = try await Body(request, teamID: connection.teamID)
        // The time is read after the body has arrived. The doctor compares clocks, and a slow sender must not look like a slow clock.
        let now = now()
        try request.requireMatch(details.tag, isRequired: true)
        try await requirePlan(for: actor)
        try Self.requireRoom(for: body.keyID, in: details)

        try requireQuestion(for: actor)
        let check = try await doctor.check(
            .init(
                teamID: connection.teamID, servicesID: connection.servicesID, keyID: body.keyID, key: .success(body.key),
                share: AppleShare(connection: connection.id.uuid, tenant: actor.owner),
                hasProvenSibling: details.keys.contains { $0.provenAt != nil }), at: now)
        if check.outcome == .failed, !check.provesKey { throw Problem(.appleRefused, check.complaint) }

        let id = ID<AppleKey>(at: now)
        let sealed = keyring.seal(Array(body.pem.utf8), in: AppleKey.context(owner: actor.owner, id: id))
        let (key, version) = try await actor.database(pool).transaction { db in
            try await requirePlan(for: actor, in: db)
            let before = try await lock(connection.id, for: actor, request, in: db)
            try Self.requireRoom(for: body.keyID, in: before)
            _ = try await db.run([
                // A retired key can be added again. Only its Key ID is still stored.
                """
                DELETE FROM apple_key WHERE tenant_id = \(actor.owner) AND connection_id = \(connection.id)
                    AND key_id = \(body.keyID) AND state = 'retired'
                """,
                AppleKey.insert(
                    id, owner: actor.owner, connection: connection.id, keyID: body.keyID, sealedPEM: sealed,
                    fingerprint: body.key.fingerprint, state: .next, provenAt: check.provesKey ? now : nil, at: now),
                before.touch(at: now),
            ])
            return try await changed(id, before, for: actor, at: now, in: db)
        }
        return try .resource(key, updatedAt: version, status: .created)
    }

    /// Apple allows two keys: the current key and the next one.
    private static func requireRoom(for keyID: String, in details: ConnectionDetails) throws {
        if details.keys.contains(where: { $0.keyID == keyID && $0.state != .retired }) {
            throw Problem(.alreadyExists, "This connection already has a key with this Key ID.")
        }
        if let next = details.keys.first(where: { $0.state == .next }) {
            throw Problem(.conflict, "The connection already has the next key \(next.keyID). Promote or retire that key first.")
        }
    }

    /// The new state of a key, with its audit event and the connection's new version.
    func changed(
        _ id: ID<AppleKey>, _ before: ConnectionDetails, for actor: ConnectionActor, at now: Date, in transaction: Transaction
    ) async throws -> (AppleKeyReply, Date) {
        guard let after = try await ConnectionDetails.find(before.connection.id, owner: actor.owner, in: transaction),
            let key = after.keys.first(where: { $0.id == id })
        else { throw Problem.notFound("Apple key") }
        let old = before.keys.first { $0.id == id }.map(AppleKeyReply.init)
        _ = try await transaction.run(try actor.audit(id, before: old, after: AppleKeyReply(key), at: now))
        return (AppleKeyReply(key), after.updatedAt)
    }
}
