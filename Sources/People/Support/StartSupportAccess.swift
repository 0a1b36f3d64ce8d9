import Access
import Delivery
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import Postgres
import Web

extension SupportRoutes {
    /// Starts a support access of the operator who calls. The tenant must allow support. Its owners get a mail, if the server sends mails.
    @Sendable
    func startSupportAccess(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.requireOperator("start a support access")
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let reason = fields.text("reason", 10...500, isRequired: true) { text in
            guard DisplayName.visible(text).isSame(as: text) else { return "It must not contain invisible characters." }
            return text.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? "It must not be blank." : nil
        }
        let minutes = fields.integer("minutes", 15...480, isRequired: true)
        try fields.finish()
        guard let reason, let minutes else { throw Problem(.invalid, "`reason` and `minutes` are required.") }
        // The tenant must see who acts, and a key has no end.
        guard let person = call.caller.actor.person
        else { throw Problem(.conflict, "Only an operator who is a person has a support access. An operator's API key needs none.") }

        let (now, owner, origin, tenant) = (now(), call.owner, call.origin, call.tenant)
        // An operator is a member of the platform, which the tenant's transaction does not see.
        let operators = OwnerDatabase(pool, owner: .platform)
        guard let member = try await operators.run(Membership.find(person, of: .platform)).first(Membership.init)
        else { throw Problem.unauthenticated }
        let access = SupportAccess(
            id: ID(at: now), person: person, operatorName: member.name, reason: reason, startedAt: now,
            endsAt: now.addingTimeInterval(TimeInterval(minutes) * 60))
        let notice = try await notices.mail(
            .supportStarted(
                by: member.email, reason: reason, until: access.endsAt,
                command: "espalierctl support end \(access.id) --tenant \(call.slug)"), to: owner)
        try await call.database(pool).transaction { db in
            let (allowed, found) = try await db.run(allowed(tenant), SupportAccess.lockOpen(of: owner))
            guard !allowed.isEmpty
            else { throw Problem(.conflict, "The tenant does not allow support. Ask one of its owners to set `allows_support` to true.") }
            let open = try found.map(SupportAccess.init)
            let due = open.filter { !$0.isActive(at: now) }
            if let active = open.first(where: { $0.person == person && $0.isActive(at: now) }) {
                throw Problem(
                    .conflict,
                    "You already have the support access \(active.id) of this tenant. Use it, or end it before you start another one.")
            }
            let mails = try await notices.insertions(notice, of: owner, in: db, at: now)
            let ends = try SupportAccess.end(due, of: owner, by: .system, at: now)
            let start = access.insert(tenant: tenant)
            let event = try access.event(.supportAccessStarted, of: owner, by: origin, at: now)
            _ = try await db.run(
                ends + mails + [
                    start, event,
                    try AuditEvent.insert(
                        "startSupportAccess", of: access.id.description, owner: owner, by: origin,
                        after: SupportAccessReply(access, at: now), at: now),
                ])
        }
        return try .json(SupportAccessReply(access, at: now), status: .created)
    }
}
