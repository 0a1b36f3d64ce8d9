import Access
import Foundation

/// A domain of a tenant's members as callers and the audit trail see it.
struct SSODomainReply: Encodable, Sendable {
    struct Proof: Encodable, Sendable {
        let name: String
        let type = "TXT"
        let value: String
    }

    let id: ID<SSODomain>
    let object = "sso_domain"
    let domain: String
    let state: SSODomain.State
    let proof: Proof
    let verified_at, checked_at, failing_since: Date?
    /// Only of a claim.
    let expires_at: Date?
    let created_at, updated_at: Date

    init(_ domain: SSODomain) {
        (id, self.domain, state) = (domain.id, domain.domain, domain.state)
        proof = Proof(name: SSODomain.recordPrefix + domain.domain, value: SSODomain.valuePrefix + domain.token)
        (verified_at, checked_at, failing_since) = (domain.verifiedAt, domain.checkedAt, domain.failingSince)
        expires_at = domain.state == .pending ? domain.expiresAt : nil
        (created_at, updated_at) = (domain.createdAt, domain.updatedAt)
    }
}
