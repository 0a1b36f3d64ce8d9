import Access
import Foundation
import Hummingbird
import Pages
import Postgres
import Web

extension PersonRoutes {
    /// Deletes an account with its sessions, factors and memberships. The trail of each tenant has the end of the membership. The other owners
    /// get a mail about the end of an owner.
    @Sendable
    func deletePerson(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("person", of: "person", as: Person.self)
        let (now, origin) = (now(), call.origin)
        // The names in the mails are found outside of the transaction.
        let tenants = try await call.platformDatabase(pool).run(Membership.all(of: id)).map { try $0.get("tenant_id", as: UUID.self) }
        var mails: [UUID: OwnerNotices.MemberMail] = [:]
        for tenant in tenants { mails[tenant] = try await notices.memberMail(of: call, to: tenant, pool) }
        try await call.platformDatabase(pool).transaction { [mails] db in
            // Before the account, as for a person who becomes a member.
            let owners = try await db.run(Membership.all(of: id)).map { try $0.get("tenant_id", as: UUID.self) }
            if !owners.isEmpty { _ = try await db.run(owners.map { Membership.lockAll(of: $0) }) }
            guard try await !db.run(Person.lock(id)).isEmpty, let person = try await ListedPerson.find(id, in: db, at: now)
            else { throw Problem.notFound("person") }
            try await requireGrant(person, call, in: db)
            for (owner, membership) in person.memberships {
                try await membership.requireOtherOwner(of: owner, toDeleteBy: call.caller, in: db)
            }
            // The memberships go with the account (`person_deleted`). The trails are locked last, in the order of their owners.
            let (withdrawals, withdrawn) = try await Invitation.withdraw(by: [id], owner: .platform, origin: origin, in: db, at: now)
            let ends = try person.memberships.filter { $0.owner != .platform }.map { owner, membership in
                (
                    owner: owner,
                    event: try AuditEvent.insert(
                        "deletePerson", of: membership.id.description, owner: owner, by: origin, before: MemberReply(membership), at: now)
                )
            }
            let events = (withdrawn.filter { $0.owner != .platform } + ends).sorted { $0.owner.uuidString < $1.owner.uuidString }
            let last = try AuditEvent.insert(
                "deletePerson", of: id.description, owner: .platform, by: origin, before: PersonReply(person), at: now)
            // Before the mails, which only the remaining owners get.
            _ = try await db.run(withdrawals + [Person.delete(id)])
            var insertions: [SQL] = []
            for (owner, membership) in person.memberships {
                let scopes = try await membership.role.scopes(of: owner, in: db)
                guard let mail = mails[owner], BuiltInRole.owner.isIncluded(in: scopes) else { continue }
                let removed = try await mail(.removed(membership.email, role: membership.role.title(of: owner, in: db)), true)
                insertions += try await notices.insertions(removed, of: owner, in: db, at: now)
            }
            _ = try await db.run(insertions + (events + withdrawn.filter { $0.owner == .platform }).map(\.event) + [last])
        }
        return .noContent
    }
}
