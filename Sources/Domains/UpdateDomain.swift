import Access
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension DomainRoutes {
    /// Changes a domain with a JSON merge patch (RFC 7396): makes it the tenant's primary domain, or switches the address below the public
    /// URL off. This address stays off if another domain becomes primary.
    ///
    /// Both lead users to the host, so it must serve the tenant to the outside too. Otherwise nobody could sign in.
    @Sendable
    func updateDomain(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let id = try call.id("domain", of: "domain", as: Domain.self)
        var fields = try await JSONFields(request)
        for name in ["is_primary", "is_exclusive", "skip_check"] where fields.isNull(name) {
            fields.refuse(name, "It must be true or false.")
        }
        let (isPrimary, isExclusive) = (fields.flag("is_primary"), fields.flag("is_exclusive"))
        let skipsCheck = fields.flag("skip_check") ?? false
        if fields.has("host") {
            _ = fields.value("host")
            fields.refuse("host", "It cannot be changed. Create another domain.")
        }
        try fields.finish()
        let seen = try await domain(in: call)
        if !skipsCheck, seen.state.isServing, isPrimary == true && !seen.isPrimary || isExclusive == true && !seen.isExclusive {
            try request.requireMatch(EntityTag(seen.updatedAt))
            try await requireReachability(of: seen, call)
        }

        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        let domain = try await call.database(pool).transaction { db in
            let (_, found, preferred) = try await db.run(
                Domain.lockAll(of: tenant), Domain.lock(id, of: tenant), Domain.lockPrimary(of: tenant))
            guard let current = try found.first(Domain.init) else { throw Problem.notFound("domain") }
            try request.requireMatch(EntityTag(current.updatedAt))
            let earlier = try preferred.first(Domain.init).flatMap { $0.id == id ? nil : $0 }
            var changed = current
            if let isPrimary { changed.isPrimary = isPrimary }
            if changed.isPrimary, let earlier { changed.isExclusive = earlier.isExclusive }
            if let isExclusive { changed.isExclusive = isExclusive }
            // A request without an effective change leaves no audit event.
            guard changed.isPrimary != current.isPrimary || changed.isExclusive != current.isExclusive else { return current }
            try changed.requireConsistency()
            var changes = [(before: current, after: changed)]
            if changed.isPrimary, let earlier {
                var demoted = earlier
                (demoted.isPrimary, demoted.isExclusive) = (false, false)
                changes.insert((before: earlier, after: demoted), at: 0)
            }
            var (updates, events): ([SQL], [SQL]) = ([], [])
            for (before, after) in changes {
                var after = after
                after.updatedAt = now.asChange(after: before.updatedAt)
                updates.append(after.update(tenant: tenant))
                events.append(
                    try AuditEvent.insert(
                        "updateDomain", of: after.id.description, owner: owner, by: origin,
                        before: DomainReply(before, publicURL: publicURL), after: DomainReply(after, publicURL: publicURL), at: now))
                changed = after
            }
            _ = try await db.run(updates + events)
            return changed
        }
        return try .resource(DomainReply(domain, publicURL: publicURL), updatedAt: domain.updatedAt)
    }
}

extension DomainRoutes {
    /// - Throws: `Problem` 409 unless the host responds to everybody as this server. 429 after too many looks.
    private func requireReachability(of domain: Domain, _ call: TenantContext) async throws {
        try requireQuestion(about: domain, call)
        let issuer = endpoints.origin(ofHost: domain.host)
        guard try await proof.leadsHere(domain.host, issuer: issuer)
        else {
            throw Problem(
                .conflict,
                """
                \(issuer)/.well-known/openid-configuration does not show the issuer of the domain, so users could not sign in there. Lead \
                the host to this server, and set up its certificate. If only this server cannot reach the host, set `skip_check`.
                """)
        }
    }
}

extension Domain {
    /// - Throws: `Problem` 409 for a state that would leave the tenant without an address.
    fileprivate func requireConsistency() throws {
        if isPrimary, !state.isServing {
            throw Problem(
                .conflict, "The state of the domain is `\(state.rawValue)`. Verify it first.",
                fields: [.init("is_primary", "It needs an active domain.")])
        }
        if isExclusive, !isPrimary {
            throw Problem(
                .conflict, "Only the primary domain can be exclusive. Set both, or set `is_exclusive` to false.",
                fields: [.init("is_exclusive", "It needs `is_primary`.")])
        }
    }
}
