package import Access
package import ClientKeys
import Encoding
package import Foundation
import HTTPTypes
package import Hummingbird
import Sealing
package import Tenancy
package import Web

// Tokens that are bound to a key of the caller (DPoP, RFC 9449).
extension TenantEndpoints {
    /// The proof in the request's DPoP header, or nil without one. The response then has the next nonce.
    ///
    /// Every proof needs a nonce of the last minutes. So nobody can prepare proofs for later, and the caller's clock does not matter
    /// (section 11.2).
    /// - Parameter token: the access token that the request presents.
    /// - Throws: `OAuthError`. It has a challenge if the request presents a token.
    package func proof(in request: Request, token: String? = nil, _ context: WebContext) throws(OAuthError) -> DPoPProof? {
        let headers = request.headers[values: .dpop]
        guard let header = headers.first else { return nil }
        let now = now()
        context.record.note(header: .dpopNonce, DPoPNonce(at: now).sealed(with: keyring))
        let challenge = token == nil ? nil : AccessToken.Scheme.dpop.rawValue
        do throws(DPoPProof.Refusal) {
            // Two proofs would be ambiguous (section 4.3, rule 1).
            guard headers.count == 1 else { throw DPoPProof.Refusal.malformed }
            let target = DPoPProof.Target(method: request.method.rawValue, uri: origin(context) + request.uri.path, token: token)
            return try DPoPProof(header, for: target) { DPoPNonce(opening: $0, with: keyring)?.isFresh(at: now) == true }
        } catch {
            throw OAuthError(error, challenge: challenge)
        }
    }

    /// The access token in the Authorization header, and the proof that belongs to it. Nil without a token.
    package func accessToken(in request: Request, _ context: WebContext) throws(OAuthError) -> (token: String, proof: DPoPProof?)? {
        if let token = request.token(ofScheme: "dpop") {
            guard let proof = try proof(in: request, token: token, context)
            else { throw OAuthError(.invalidDPoPProof, "The request has no DPoP header.", challenge: "DPoP") }
            return (token, proof)
        }
        return request.bearerToken.map { ($0, nil) }
    }
}

extension Tokens {
    /// Uses up the proof of a request with an access token of an active session.
    package func use(_ proof: DPoPProof?, of tenant: Tenant, at now: Date) async throws {
        guard let proof else { return }
        do {
            try await proof.use(of: tenant.id, in: pool, until: now.addingTimeInterval(DPoPNonce.lifetime + DPoPNonce.leeway))
        } catch let refusal as DPoPProof.Refusal {
            throw OAuthError(refusal, challenge: "DPoP")
        }
    }
}

extension Application {
    /// Refuses a request without a proof if the application requires one.
    package func requireProof(_ key: KeyThumbprint?) throws(OAuthError) {
        guard requiresDPoP, key == nil else { return }
        throw OAuthError(.invalidDPoPProof, "This application gets tokens only with a DPoP proof. Send the DPoP header.")
    }
}

extension OAuthError {
    fileprivate init(_ refusal: DPoPProof.Refusal, challenge: String?) {
        self.init(refusal == .nonce ? .useDPoPNonce : .invalidDPoPProof, refusal.description, challenge: challenge)
    }
}

/// The nonce of a DPoP proof: the sealed time of a response. Every server of the installation can open it, and nothing is stored.
struct DPoPNonce {
    static let lifetime: TimeInterval = 300
    /// The permitted difference between the clocks of two servers.
    static let leeway: TimeInterval = 60
    private static let purpose = "dpop_nonce"

    private let issuedAt: Date

    init(at now: Date) { issuedAt = now }

    init?(opening sealed: String, with keyring: Keyring) {
        // A nonce of this server is short, so a long one is not opened.
        guard sealed.utf8.count <= 200, let bytes = try? keyring.openToken(sealed, purpose: Self.purpose) else { return nil }
        var fields = FieldReader(bytes)
        guard let time = try? fields.date() else { return nil }
        issuedAt = time
    }

    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(issuedAt)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    func isFresh(at now: Date) -> Bool {
        now < issuedAt.addingTimeInterval(Self.lifetime) && issuedAt <= now.addingTimeInterval(Self.leeway)
    }
}

extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP")!
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}
