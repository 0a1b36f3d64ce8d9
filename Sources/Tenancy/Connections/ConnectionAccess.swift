import Access
import Foundation
import Hummingbird
import Postgres
import Web

/// Who works on whose connections: what an action takes of its context into a transaction.
struct ConnectionActor: Sendable {
    /// The tenant's id, or the platform's.
    let owner: UUID
    let origin: AuditEvent.Origin
    /// The `operationId`.
    let action: String
    /// Below the public URL, what is the owner's: `/t/{slug}`, or nothing for the platform.
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

    /// The statement that puts a change of the connection into the audit trail.
    func audit(
        _ subject: some CustomStringConvertible, before: (any Encodable)? = nil, after: (any Encodable)? = nil, at now: Date
    ) throws -> SQL {
        try AuditEvent.insert(action, of: subject.description, owner: owner, by: origin, before: before, after: after, at: now)
    }
}

extension ActingContext {
    /// The connection in the path; nil for the platform's, of which there is one.
    /// - Throws: `Problem` 404 for what cannot be one.
    var connectionInPath: ID<Connection>? {
        get throws { ownership == .shared ? nil : try id("connection", of: "connection") }
    }
}

extension ConnectionRoutes {
    var doctor: Doctor { Doctor(apple: apple, keyring: keyring) }

    /// - Throws: `Problem` 429 when this owner has had Apple asked too often.
    func requireQuestion(for actor: ConnectionActor) throws {
        let level = questionsToApple.take(actor.owner, at: .now)
        guard !level.isGranted else { return }
        var problem = Problem(.rateLimited, "Apple was asked about too many keys in a minute. Wait as long as `Retry-After` says.")
        problem.headers[.retryAfter] = "\(level.secondsUntilNext)"
        throw problem
    }

    /// - Throws: `Problem` 404.
    func find(_ id: ID<Connection>?, for actor: ConnectionActor) async throws -> ConnectionDetails {
        let found = try await ConnectionDetails.all(actor.database(pool).run(ConnectionDetails.find(id, owner: actor.owner)))
        guard var details = found.first else { throw Problem.notFound("connection") }
        if actor.isPlatform { details.isServing = try await isSharedConnectionInUse() }
        return details
    }

    /// The connection in the version that the caller has read, held until the transaction ends.
    /// - Throws: `Problem` 404, 412, 428.
    func lock(
        _ id: ID<Connection>?, for actor: ConnectionActor, _ request: Request, in transaction: Transaction
    ) async throws -> ConnectionDetails {
        _ = try await transaction.run(ConnectionDetails.lock(id, owner: actor.owner))
        // Read anew: what this waited for may have let the connection serve.
        let found = try ConnectionDetails.all(try await transaction.run(ConnectionDetails.find(id, owner: actor.owner)))
        guard let details = found.first else { throw Problem.notFound("connection") }
        try request.requireMatch(details.tag, isRequired: true)
        return details
    }

    /// Whether tenants without a connection of their own are there.
    func isSharedConnectionInUse() async throws -> Bool {
        let found = try await PlatformDatabase(pool).run(
            "SELECT EXISTS (SELECT FROM tenant WHERE connection_id IS NULL AND status <> 'purged') AS used")
        return try found.first { try $0.get("used", as: Bool.self) } ?? false
    }

    func reply(_ details: ConnectionDetails, to actor: ConnectionActor) -> ConnectionReply {
        ConnectionReply(details, publicURL: publicURL, path: actor.path)
    }

    /// Holds a tenant to its plan as the database knows it now. The platform needs none.
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
                "Apple credentials of a tenant's own need the plan \(needed); this tenant's plan is `\(plan.rawValue)`.")
        }
    }

    /// The same, ahead of a call to Apple.
    func requirePlan(for actor: ConnectionActor) async throws {
        guard !actor.isPlatform else { return }
        try await actor.database(pool).transaction { try await requirePlan(for: actor, in: $0) }
    }
}
