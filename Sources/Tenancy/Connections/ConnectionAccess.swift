import Access
import Foundation
import Hummingbird
import Postgres
import Web

/// The actor and the owner of connections: the part of the context that an action needs in a transaction.
struct ConnectionActor: Sendable {
    /// The tenant's ID, or the platform's ID.
    let owner: UUID
    let origin: AuditEvent.Origin
    /// The `operationId`.
    let action: String
    /// The owner's path below the public URL: `/t/{slug}`, or empty for the platform.
    let path: String

    init(_ call: some ActingContext) {
        (owner, origin) = (call.owner, call.origin)
        action = call.record.current.action ?? "connection"
        path = (call as? TenantContext).map { "/t/\($0.slug)" } ?? ""
    }

    var isPlatform: Bool { owner == .platform }

    func database(_ pool: DatabasePool) -> OwnerDatabase {
        OwnerDatabase(pool, owner: owner)
    }

    /// The statement that adds a change of the connection to the audit trail.
    func audit(
        _ subject: some CustomStringConvertible, before: (any Encodable)? = nil, after: (any Encodable)? = nil, at now: Date
    ) throws -> SQL {
        try AuditEvent.insert(action, of: subject.description, owner: owner, by: origin, before: before, after: after, at: now)
    }
}

extension ActingContext {
    /// The connection in the path. Nil for the platform, which has one connection.
    /// - Throws: `Problem` 404 for a text that cannot be an ID.
    var connectionInPath: ID<Connection>? {
        get throws { ownership == .shared ? nil : try id("connection", of: "connection") }
    }
}

extension ConnectionRoutes {
    var doctor: Doctor { Doctor(apple: apple, keyring: keyring) }

    /// Counts a request to Apple for this owner.
    /// - Throws: `Problem` 429 if this owner has caused too many requests to Apple.
    func requireQuestion(for actor: ConnectionActor) throws {
        try questionsToApple.take(actor.owner, at: .now).requireGrant(
            "Too many keys were checked at Apple in a minute. Retry after the seconds in `Retry-After`.")
    }

    /// Finds a connection of the owner.
    /// - Throws: `Problem` 404.
    func find(_ id: ID<Connection>?, for actor: ConnectionActor) async throws -> ConnectionDetails {
        guard var details = try await ConnectionDetails.find(id, owner: actor.owner, in: actor.database(pool))
        else { throw Problem.notFound("connection") }
        if actor.isPlatform { details.isServing = try await isSharedConnectionInUse() }
        return details
    }

    /// Locks the connection in the version that the caller has read, until the transaction ends.
    /// - Parameter request: the request whose `If-Match` must name the version; nil in an interface without versions.
    /// - Throws: `Problem` 404, 412, 428.
    func lock(
        _ id: ID<Connection>?, for actor: ConnectionActor, _ request: Request?, in transaction: Transaction
    ) async throws -> ConnectionDetails {
        try await ConnectionDetails.lock(id, owner: actor.owner, in: transaction)
        // Reads the connection again, because a concurrent transaction may have activated it.
        guard let details = try await ConnectionDetails.find(id, owner: actor.owner, in: transaction)
        else { throw Problem.notFound("connection") }
        try request?.requireMatch(details.tag, isRequired: true)
        return details
    }

    func reply(_ details: ConnectionDetails, to actor: ConnectionActor) -> ConnectionReply {
        ConnectionReply(details, portal: portal(for: details, of: actor))
    }

    /// The values for Apple's portal.
    func portal(for details: ConnectionDetails, of actor: ConnectionActor) -> ApplePortal {
        ApplePortal(
            details, publicURL: publicURL, path: actor.path, at: actor.isPlatform ? TenantAddresses() : addresses(actor.owner))
    }

    /// Checks that the tenant's current plan includes own credentials. The platform needs no plan.
    /// - Throws: `Problem` 403 `plan_required`.
    func requirePlan(for actor: ConnectionActor, in transaction: Transaction) async throws {
        guard !actor.isPlatform else { return }
        let plan = try await transaction.run("SELECT plan FROM tenant WHERE id = \(actor.owner) FOR NO KEY UPDATE")
            .first { try $0.get("plan", as: Tenant.Plan.self) }
        guard let plan else { throw Problem.notFound("tenant") }
        guard plan.mayBringOwnConnection else {
            let needed = Tenant.Plan.allCases.filter(\.mayBringOwnConnection).map { "`\($0.rawValue)`" }.joined(separator: " or ")
            throw Problem(
                .planRequired,
                "A tenant's own Apple credentials need the plan \(needed). Its plan is `\(plan.rawValue)`.")
        }
    }

    /// The same check before a call to Apple.
    func requirePlan(for actor: ConnectionActor) async throws {
        guard !actor.isPlatform else { return }
        try await actor.database(pool).transaction { try await requirePlan(for: actor, in: $0) }
    }
}
