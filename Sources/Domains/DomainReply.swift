import Access
import Foundation
import Web

/// A domain as callers and the audit trail see it, with the values for the proof and for Apple's portal.
struct DomainReply: Encodable, Equatable, Sendable {
    struct Proof: Encodable, Equatable, Sendable {
        struct Record: Encodable, Equatable, Sendable {
            let name: String
            let type = "TXT"
            let value: String
        }

        struct File: Encodable, Equatable, Sendable {
            let url, content: String
        }

        let record: Record
        let file: File
    }

    let id: ID<Domain>
    let object = "domain"
    let host: String
    let state: Domain.State
    let is_primary, is_exclusive: Bool
    let proof: Proof
    let issuer, return_url, notification_url: String
    let verified_at, checked_at, failing_since: Date?
    /// Only of a claim.
    let expires_at: Date?
    let created_at, updated_at: Date

    init(_ domain: Domain, publicURL: String) {
        (id, host, state, is_primary, is_exclusive) = (domain.id, domain.host, domain.state, domain.isPrimary, domain.isExclusive)
        proof = Proof(
            record: .init(name: DomainProof.recordPrefix + domain.host, value: DomainProof.valuePrefix + domain.token),
            file: .init(url: "http://\(domain.host)\(DomainProof.path)", content: domain.token))
        issuer = HostName.origin(of: domain.host, like: publicURL)
        (return_url, notification_url) = ("\(issuer)/auth/apple/callback", "\(issuer)/auth/apple/notifications")
        (verified_at, checked_at, failing_since) = (domain.verifiedAt, domain.checkedAt, domain.failingSince)
        expires_at = domain.state == .pending ? domain.expiresAt : nil
        (created_at, updated_at) = (domain.createdAt, domain.updatedAt)
    }
}
