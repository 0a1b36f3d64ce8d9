import Access
import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy

/// The ticket in a mailed link. A person who opens it reads the mailbox of the user with the same address.
///
/// It is only one half. The other one is in the cookies of the browser that asked for the mail: the attempt and the waiting identity. So
/// the link does nothing in the browser of a person who did not ask, and nothing for a person who reads it in a log.
struct LinkProof: Sendable {
    private static let purpose = "link_proof"

    let tenant: ID<Tenant>
    /// For the way back from a page of an error.
    let application: ID<Application>
    let login: ID<LoginID>
    /// The digest of the waiting identity and its candidate.
    private let identity: [UInt8]
    /// Where the mail was sent to.
    let address: String
    let expiresAt: Date

    init(for waiting: WaitingIdentity, of attempt: LoginAttempt, at address: String) {
        self.address = address
        (tenant, application, login) = (attempt.tenant, attempt.application, attempt.login)
        (identity, expiresAt) = (waiting.digest, waiting.end(in: attempt))
    }

    /// The token, with less than 700 bytes.
    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(application.uuid)
        fields.write(login.uuid)
        fields.write(identity)
        fields.write(address)
        fields.write(expiresAt)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless it was sealed for this tenant. It may have expired.
    init?(opening sealed: String, of expected: ID<Tenant>, with keyring: Keyring) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose))
            (tenant, application, login) = (ID(try fields.uuid()), ID(try fields.uuid()), ID(try fields.uuid()))
            (identity, address, expiresAt) = (try fields.bytes(), try fields.string(), try fields.date())
        } catch { return nil }
        guard tenant == expected else { return nil }
    }

    /// Whether the mail was about this identity and its candidate, in this attempt.
    func proves(_ waiting: WaitingIdentity, of attempt: LoginAttempt, at now: Date) -> Bool {
        tenant == attempt.tenant && login == attempt.login && constantTimeEqual(identity, waiting.digest) && now < expiresAt
    }
}
