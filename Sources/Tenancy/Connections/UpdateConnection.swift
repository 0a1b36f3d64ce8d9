import Access
import Foundation
import Hummingbird
import Postgres
package import Web

/// The changes of a connection. A nil member changes nothing.
package struct ConnectionChanges: Sendable {
    let servicesID: String?
    let bundleIDs, emailSources: [String]?

    init(_ request: Request) async throws {
        var fields = try await JSONFields(request)
        self.init(&fields)
        try fields.finish()
    }

    /// - Parameter prefix: the start of the name of each member, in an interface with other names.
    package init(_ fields: inout JSONFields, prefix: String = "") {
        servicesID = fields.text("\(prefix)services_id", 1...255, refusal: AppleIdentifiers.refusal(ofServicesID:))
        bundleIDs = fields.texts("\(prefix)bundle_ids", count: 0...20, refusal: AppleIdentifiers.refusal(ofBundleID:))
        emailSources = fields.texts("\(prefix)email_sources", count: 0...100, refusal: AppleIdentifiers.refusal(ofEmailSource:))
    }
}

extension ConnectionRoutes {
    /// Changes a connection. The team cannot change, because Apple identifies every user differently per team. Another team needs another
    /// connection.
    @Sendable
    func updateConnection(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let (now, actor, id) = (now(), ConnectionActor(call), try call.connectionInPath)
        let body = try await ConnectionChanges(request)
        let details = try await update(id, body, for: actor, matching: request, at: now)
        return try .resource(reply(details, to: actor), updatedAt: details.updatedAt)
    }

    /// Changes a connection for a caller that may do this.
    /// - Parameter request: the request whose `If-Match` must name the version; nil in an interface without versions.
    func update(
        _ id: ID<Connection>?, _ body: ConnectionChanges, for actor: ConnectionActor, matching request: Request?, at now: Date
    ) async throws -> ConnectionDetails {
        // Checks before anything is written, because another Services ID causes a request to Apple.
        if body.servicesID != nil { try requireQuestion(for: actor) }
        let isAnotherClient = try await actor.database(pool).transaction { db in
            try await requirePlan(for: actor, in: db)
            let before = try await lock(id, for: actor, request, in: db)
            let (connection, owner) = (before.connection, actor.owner)
            let servicesID = body.servicesID ?? connection.servicesID
            let isAnotherClient = !servicesID.utf8.elementsEqual(connection.servicesID.utf8)
            guard
                isAnotherClient || body.bundleIDs ?? connection.bundleIDs != connection.bundleIDs
                    || body.emailSources ?? before.emailSources != before.emailSources
            else { return false }
            _ = try await db.run(
                """
                UPDATE connection SET services_id = \(servicesID), bundle_ids = \(body.bundleIDs ?? connection.bundleIDs),
                    email_sources = \(body.emailSources ?? before.emailSources), updated_at = \(now.asChange(after: before.updatedAt))
                WHERE tenant_id = \(owner) AND id = \(connection.id)
                """)
            if isAnotherClient {
                // Apple accepted the key with the former Services ID.
                _ = try await db.run(
                    "UPDATE apple_key SET proven_at = NULL WHERE tenant_id = \(owner) AND connection_id = \(connection.id)")
            }
            let after = try await ConnectionDetails.find(connection.id, owner: owner, in: db)
            _ = try await db.run(
                try actor.audit(
                    connection.id, before: reply(before, to: actor), after: after.map { reply($0, to: actor) }, at: now))
            return isAnotherClient
        }
        var details = try await find(id, for: actor)
        if isAnotherClient {
            try await recordCheck(of: details, for: actor, isAudited: false, at: self.now())
            details = try await find(id, for: actor)
        }
        return details
    }
}
